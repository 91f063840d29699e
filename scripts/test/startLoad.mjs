import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** Writes 8 MiB after the other, each of which must be on the disk before the next. */
const fillDisk = (/** @type {string} */ path) => `
  const { openSync, writeSync, fsyncSync } = require('node:fs')
  const [file, bytes] = [openSync(${JSON.stringify(path)}, 'w'), Buffer.alloc(8 << 20, 1)]
  for (let at = 0; ; at = (at + 1) % 64) {
    writeSync(file, bytes, 0, bytes.length, at * bytes.length)
    fsyncSync(file)
  }`

/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/**
 * Keeps the machine busy until the returned function is called.
 * @param {{ loops: number, disk?: string | undefined }} load busy loops, and the folder in which the disk is kept busy
 */
export function startLoad({ loops, disk }) {
  const programs = Array.from({ length: loops }, () => 'for (;;);')
  if (disk) programs.push(fillDisk(join(disk, 'written-beside')))
  const children = programs.map((program) =>
    spawn(process.execPath, ['--eval', program], { stdio: 'ignore', env: {} }),
  )
  for (const child of children) running.add(child)
  return async () => {
    for (const child of children) {
      child.kill('SIGKILL')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
      running.delete(child)
    }
  }
}
