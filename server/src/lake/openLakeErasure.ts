import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { makeAllEvents } from '../archive/allEvents.js'
import type { ArchiveFolder } from '../archive/ArchivedFile.js'
import type { Erasure } from '../privacy/ErasureList.js'
import { inTransaction } from '../store/transactions.js'
import { takeOver } from './takeOver.js'

/**
 * Opens the part of some erases that is about shared files, for a store that carries them out; undefined when there is
 * none. The old files say which sessions and how many events are concerned. A store that was away finds them removed:
 * it takes the new files over first.
 */
export const openLakeErasure = async (
  connection: DuckDBConnection,
  archive: ArchiveFolder | undefined,
  due: readonly Erasure[],
) => {
  const plan = due.find(({ logged }) => logged?.lake)?.logged?.lake
  if (archive === undefined || !plan) return undefined
  const readIsTaken = async () => {
    const reader = await connection.runAndReadAll('SELECT snapshot::DOUBLE FROM analytics.raw.archive')
    return Number(reader.getRows()[0]![0]) >= plan.snapshot
  }
  const take = () => takeOver(connection, archive, plan)
  if (!(await readIsTaken()) && plan.gone.some((file) => !existsSync(join(archive.path, file))))
    await inTransaction(connection, take)
  const isTaken = await readIsTaken()
  return {
    /** Whether the new files were taken over before. */
    isTaken,
    /** Gives the store that is written anew its files. */
    finish: () => (isTaken ? makeAllEvents(connection, archive) : take()),
  }
}
