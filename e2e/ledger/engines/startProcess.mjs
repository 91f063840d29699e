import { spawn } from 'node:child_process'
import { endProcesses, listDescendants } from './processTree.mjs'

/** @type {Set<number>} */
const running = new Set()

// Whatever ends the ledger, no browser stays behind.
process.on('exit', () => {
  for (const pid of running) endProcesses([...listDescendants(pid), pid])
})

/**
 * Starts a program that ends with the ledger at the latest.
 * @param {string} command
 * @param {string[]} args
 * @param {import('node:child_process').SpawnOptions} [options]
 */
export function startProcess(command, args, options = {}) {
  const child = spawn(command, args, { stdio: 'ignore', ...options })
  const { pid } = child
  const ended = new Promise((resolve) => {
    child.once('error', resolve)
    child.once('exit', resolve)
  })
  if (pid) {
    running.add(pid)
    void ended.then(() => running.delete(pid))
  }
  return { child, pid: pid ?? 0, ended }
}
