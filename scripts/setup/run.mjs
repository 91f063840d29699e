import { spawn } from 'node:child_process'
import { root } from './root.mjs'

/**
 * Runs one command to its end with its output shown live.
 * @param {string} command
 * @param {string[]} args
 * @param {{ env?: Record<string, string>, quiet?: boolean, timeoutMs?: number, cwd?: string }} [options]
 * @returns {Promise<{ code: number, output: string }>} `output` only with `quiet`
 */
export function run(command, args, { env = {}, quiet = false, timeoutMs, cwd = root } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: quiet ? ['ignore', 'pipe', 'pipe'] : ['ignore', 'inherit', 'inherit'],
      shell: process.platform === 'win32',
    })
    let output = ''
    const hear = (/** @type {Buffer} */ chunk) => (output += chunk.toString())
    child.stdout?.on('data', hear)
    child.stderr?.on('data', hear)
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
