import { stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import type { DuckDBConnection } from '@duckdb/node-api'
import type { Logger } from '../Logger.js'
import { inTransaction, type OneAtATime } from '../duckdb/transactions.js'
import type { Chore } from '../duckdb/Upkeep.js'
import { makeAllEvents, readReplaced } from './allEvents.js'
import { type ArchiveFolder, readArchivedFiles } from './ArchivedFile.js'
import { isAsWritten } from './writeFile.js'

const archivedFile = /(environment=[^/'"]+\/day=[^/]+\/late=[^/]+\/events-[^/'"]+\.parquet)/

/** Says what to do when DuckDB's message names a file of the archive; gives any other message as it is. */
export const explainMissing = (message: string): string => {
  const file = archivedFile.exec(message)?.[1]
  return file === undefined
    ? message
    : `The file ${file} of the archive is missing or damaged. Put it back from a copy of the archive. Queries that need no event of that day are still answered.`
}

/** The names that this service gives to files, also to incomplete ones. */
const ours = /^environment=[^/]+\/day=[^/]+\/late=(true|false)\/events-[^/]+\.parquet(\.new)?$/

/** The names of the files in the folder of an archive that are this service's. */
export const listFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll(sep, '/'))
    .filter((name) => ours.test(name))

/** Removes those of the found files that are not listed. */
export const removeOthers = (folder: string, found: readonly string[], listed: readonly string[]): void => {
  const kept = new Set(listed)
  for (const name of found) if (!kept.has(name)) rmSync(join(folder, name), { force: true })
}

/**
 * Removes files that the store does not list. A kill leaves them while their events are still in the table; other
 * files are left when their events are erased, deleted for their age, or written to a newer file.
 */
export const removeUncounted = async (
  connection: DuckDBConnection,
  { path }: ArchiveFolder,
): Promise<void> => {
  if (!existsSync(path)) return
  const found = listFiles(path)
  removeOthers(
    path,
    found,
    (await readArchivedFiles(connection)).map(({ file }) => file),
  )
}

/** So much is read of files in one run, so that queries find the disk free. */
const readAtOnce = 64 * 1_048_576

/**
 * Compares each file once, since the start or since it was put back, with what was written, the newest first. Questions
 * do not wait for it: the 5.5 GB of 100 million events take 3.4 s of a processor (at 1.6 GB/s), and half a minute of a
 * disk of 200 MB/s, where a question reads some columns of some days.
 */
const checkFiles = (archive: ArchiveFolder, logger: Logger) => {
  /** What a file was like when it was compared: another size or time makes it another one. */
  const compared = new Map<string, string>()
  return async (found: ReadonlyMap<string, { size: number; mtimeMs: number }>, isStopped: () => boolean) => {
    let left = readAtOnce
    for (const [file, { size, mtimeMs }] of found) {
      const state = `${size} ${mtimeMs}`
      if (left <= 0 || isStopped()) return
      if (compared.get(file) === state) continue
      left -= size
      const isWhole = await isAsWritten(archive, file)
      compared.set(file, state)
      if (isWhole) archive.damaged.delete(file)
      else {
        archive.damaged.add(file)
        logger.error(
          'A file of the archive has not the bytes that were written; queries that need it fail.',
          {
            file,
          },
        )
      }
    }
    for (const file of compared.keys()) if (!found.has(file)) compared.delete(file)
    for (const file of archive.damaged) if (!found.has(file)) archive.damaged.delete(file)
  }
}

/**
 * Looks for the files of the archive. When one is missing, damaged or back, the view of all events is made anew: such a
 * file then fails only the queries that need it.
 */
export const lookForMissing = ({
  archive,
  oneAtATime,
  logger,
}: {
  archive: ArchiveFolder
  oneAtATime: OneAtATime
  logger: Logger
}): Chore => {
  const check = checkFiles(archive, logger)
  let told = ''
  return {
    failure: 'The files of the archive could not be looked for.',
    async run(connection, isStopped) {
      const missing: string[] = []
      const found = new Map<string, { size: number; mtimeMs: number }>()
      for (const { file } of (await readArchivedFiles(connection)).toReversed()) {
        const stats = await stat(join(archive.path, file)).catch(() => undefined)
        if (stats === undefined) missing.push(file)
        else found.set(file, stats)
      }
      await check(found, isStopped)
      const names = missing.toSorted().join('\n')
      const replaced = [...missing, ...archive.damaged].toSorted().join('\n')
      // Others make the view, too, and may have found other files.
      if (replaced !== (await readReplaced(connection)).join('\n'))
        await oneAtATime(() => inTransaction(connection, () => makeAllEvents(connection, archive)))
      if (names === told) return
      told = names
      if (missing.length === 0) logger.info('All files of the archive are there again.', {})
      else {
        logger.error('Files of the archive are missing; queries that need them fail.', {
          missing: missing.length,
          first: missing[0],
        })
      }
    },
  }
}
