import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { buildPreload } from '../fixtures/buildPreload.js'

const diskStates = ['works', 'stalls', 'is read-only', 'is broken', 'gives nothing'] as const
type DiskState = (typeof diskStates)[number]

export interface Trouble {
  /** The environment of the process that is to have it. */
  env: Record<string, string>
  setClockAhead(seconds: number): void
  /** What writes of files, and DuckDB's reads, do from now on. */
  setDisk(state: DiskState): void
}

/** What a test may do to a process that it starts with `env`: its clock jumps, its disk takes nothing or fails. */
export const makeTrouble = async (folder: string): Promise<Trouble> => {
  const file = join(folder, 'trouble')
  writeFileSync(file, Buffer.alloc(16))
  const write = (at: number, value: number) => {
    const handle = openSync(file, 'r+')
    writeSync(handle, new BigInt64Array([BigInt(value)]), 0, 8, at)
    closeSync(handle)
  }
  const library = await buildPreload(new URL('trouble.c', import.meta.url), folder)
  return {
    env: { LD_PRELOAD: library, TROUBLE: file },
    setClockAhead: (seconds) => write(0, seconds),
    setDisk: (state) => write(8, diskStates.indexOf(state)),
  }
}
