import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const launcher = fileURLToPath(new URL('../../server/bin/waymark-server.mjs', import.meta.url))

/**
 * Starts the service as a process of its own and waits until it answers.
 * @param {{ port?: number, host?: string, data: string, apiKeys: string, users: string, environments?: string, origins?: string, log?: (text: string) => void }} options
 *   `origins` are those of pages that may ask in SQL: by default every page of this machine's own address, where the
 *   shop is. `log` gets what the service writes to stderr; without it that is kept for the message of a failed start.
 * @returns {Promise<{ url: string, stop: () => Promise<void>, gone: Promise<unknown> }>}
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
}) {
  const flags = { port: String(port), host, data, 'api-keys': apiKeys, users, environments, origins }
  const args = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value])
  const child = spawn(process.execPath, [launcher, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  const gone = once(child, 'exit')
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    if (log) log(text)
    said = (said + text).slice(-4000)
  })

  /** @type {Promise<string>} */
  const ready = new Promise((resolve, reject) => {
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output += text
      const url = /ready at (http:\S+)/.exec(output)?.[1]
      if (url) resolve(url)
    })
    child.on('error', reject)
    child.on('close', () => reject(new Error(said.trim() || output.trim() || 'The service ended at once.')))
  })
  const url = await ready

  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGTERM')
    // A service that does not stop must not keep the terminal.
    const giveUp = setTimeout(() => child.kill('SIGKILL'), 10_000)
    await gone
    clearTimeout(giveUp)
  }
  return { url, stop, gone }
}
