import { AsyncLocalStorage } from 'node:async_hooks'
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { root } from './root.mjs'

/** Whose output it is, where several commands run side by side: what stands before each of its lines. */
export const label = /** @type {AsyncLocalStorage<string>} */ (new AsyncLocalStorage())

/**
 * Runs one command to its end with its output shown live.
 * @param {string} command
 * @param {string[]} args
 * @param {{ env?: Record<string, string>, quiet?: boolean, timeoutMs?: number, cwd?: string }} [options]
 * @returns {Promise<{ code: number, output: string }>} `output` only with `quiet`
 */
export function run(command, args, { env = {}, quiet = false, timeoutMs, cwd = root } = {}) {
  return new Promise((resolve) => {
    const before = label.getStore()
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: quiet || before ? ['ignore', 'pipe', 'pipe'] : ['ignore', 'inherit', 'inherit'],
      shell: process.platform === 'win32',
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      if (quiet) stream?.on('data', (/** @type {Buffer} */ chunk) => (output += chunk.toString()))
      else if (stream) createInterface(stream).on('line', (line) => console.log(`${before} │ ${line}`))
    const timer = timeoutMs ? setTimeout(() => child.kill('SIGKILL'), timeoutMs) : undefined
    // A Ctrl-C at the terminal reaches the child by itself; a signal sent to this process alone does not.
    const forward = (/** @type {NodeJS.Signals} */ signal) => child.kill(signal)
    process.on('SIGTERM', forward)
    process.on('SIGINT', forward)
    const end = (/** @type {number} */ code) => {
      clearTimeout(timer)
      process.off('SIGTERM', forward)
      process.off('SIGINT', forward)
      resolve({ code, output })
    }
    child.on('error', (error) => {
      output += error.message
      end(127)
    })
    child.on('close', (code, signal) => end(code ?? (signal === 'SIGINT' ? 130 : 143)))
  })
}
