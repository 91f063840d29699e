import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const launcher = fileURLToPath(new URL('../server/bin/waymark-server.mjs', import.meta.url))

/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set()
// Whatever ends this process, no server stays behind.
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/**
 * Starts a server as a process of its own, and waits until it has printed the line with its address.
 * @param {string} file a program for Node
 * @param {readonly string[]} flags
 * @param {{ env?: NodeJS.ProcessEnv, log?: (text: string) => void }} [options] `log` gets what it writes on standard
 *   error; the end of that is the message of a failed start in any case.
 */
export async function startProgram(file, flags, { env, log } = {}) {
  const child = spawn(process.execPath, [file, ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  })
  running.add(child)
  /** @type {Promise<unknown[]>} how it ended, which nobody need wait for */
  const gone = new Promise((resolve) => child.on('exit', (...how) => resolve(how)))
  void gone.then(() => running.delete(child))
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    log?.(text)
    said = (said + text).slice(-4000)
  })
  let output = ''
  /** @type {Promise<string>} */
  const ready = new Promise((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output += text
      const url = /(http:\S+).*\n/.exec(output)?.[1]
      if (url) resolve(url)
    })
    child.on('error', reject)
    child.on('close', () => reject(new Error(said.trim() || output.trim() || `${file} ended at once.`)))
  })
  const url = await ready

  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGTERM')
    // A backstop: a server that does not stop must not keep the terminal.
    const giveUp = setTimeout(() => child.kill('SIGKILL'), 60_000)
    await gone
    clearTimeout(giveUp)
  }
  return { url, output, pid: /** @type {number} */ (child.pid), stop, gone }
}

/**
 * Starts the service and waits until it answers.
 * @param {{ port?: number, host?: string, data: string, apiKeys: string, users: string, environments?: string, origins?: string, log?: (text: string) => void, more?: string[] }} options
 *   `origins` are those of pages that may ask in SQL: by default every page of this machine's own address, where the
 *   demo's shop is. `more` are other flags.
 */
export async function startService({
  port = 0,
  host = '127.0.0.1',
  data,
  apiKeys,
  users,
  environments = 'production',
  origins = 'http://127.0.0.1:*',
  log,
  more = [],
}) {
  const flags = { port: String(port), host, data, 'api-keys': apiKeys, users, environments, origins }
  const args = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value])
  return startProgram(launcher, [...args, ...more], log === undefined ? {} : { log })
}
