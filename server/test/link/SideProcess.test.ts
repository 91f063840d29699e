import { execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { SideProcess } from '../../src/link/SideProcess.js'
import type { FromImporter, ToImport } from '../../src/upload/stageFile.js'

const program = fileURLToPath(new URL('../../dist/upload/importProcess.js', import.meta.url))

/** Reading a pipe that nobody writes to keeps DuckDB busy for ever. */
let folder: string
let task: ToImport
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-side-'))
  const file = join(folder, 'pipe')
  execFileSync('mkfifo', [file])
  task = {
    ...{ file, stage: join(folder, 'stage'), format: 'csv', names: ['a'], known: undefined, rows: undefined },
    maxColumns: 1,
    dialect: { delimiter: ',', header: true, firstRow: 1 },
    ...{ memoryLimit: '128MiB', threads: 1, longestMs: 600_000, mostBytes: 2 ** 30 },
  }
})
afterAll(() => rmSync(folder, { recursive: true }))

const isThere = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
const whenGone = async (pid: number) => {
  while (isThere(pid)) await delay(10)
}

it('ends in the middle of what DuckDB does when it takes too long', async () => {
  const side = new SideProcess<ToImport, FromImporter>(program)
  await expect(side.ask({ ...task, longestMs: 100 })).rejects.toMatchObject({ limit: 'time' })
  await whenGone(side.pid!)
})

it('ends in the middle of what DuckDB does when it takes too much memory', async () => {
  const side = new SideProcess<ToImport, FromImporter>(program)
  await expect(side.ask({ ...task, mostBytes: 1 })).rejects.toMatchObject({ limit: 'memory' })
  await whenGone(side.pid!)
})

it('ends with its parent', async () => {
  const child = fork(program, { execArgv: [], stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
  await once(child, 'message')
  const stage = join(folder, 'other')
  child.send({ ...task, stage })
  // The stage is the first thing that it makes.
  while (!existsSync(stage)) await delay(10)
  child.disconnect()
  await whenGone(child.pid!)
})
