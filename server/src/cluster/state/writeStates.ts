import { closeSync, fstatSync, mkdirSync, openSync, readdirSync, renameSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import type { ArchiveFolder } from '../../archive/ArchivedFile.js'
import { isThere } from '../../archive/bindArchive.js'
import { type HeldFile, holdFile } from '../../care/careRoutes.js'
import type { Logger } from '../../Logger.js'
import { keepForStates } from '../log/readLog.js'
import type { ServerConnection } from '../ServerConnection.js'
import { readApplied, storeVersion } from '../../schema/analyticsSchema.js'
import type { DataFolder } from '../../disk/DataFolder.js'
import type { Chore } from '../../duckdb/Upkeep.js'
import { writeWhole, type FileSum, readPart, writeHashed, syncFolder } from '../../disk/writeWhole.js'
import type { FollowedLog } from '../../wal/LogStore.js'
import {
  folderOf,
  headName,
  positionsIn,
  readHead,
  removeStates,
  type StateHead,
  unfinished,
} from './startFromState.js'

interface WriteStatesOptions {
  archive: ArchiveFolder
  folder: DataFolder
  held: HeldFile
  /** The log that this store follows. */
  followed(): FollowedLog
  /** The connection to the log, while there is one. */
  connection(): ServerConnection | undefined
  /** Whether this process is the one that writes in the archive's folder. */
  isArchiver(): boolean
  logger: Logger
  /** @defaultValue a million: on two processors a new process stores them in some 20 s, a third of the minute that it may take to start */
  maxRowsBehind?: number
  /** @defaultValue a day: so the log keeps no rows of more than two days for the two states */
  maxAgeMs?: number
}

const usualRowsBehind = 1_000_000
const usualAgeMs = 86_400_000
/** A new process takes the second when the newest is torn. */
const kept = 2
const lookMs = 600_000

/** The snapshot of the shared archive that the store has taken over. */
const readSnapshot = async (connection: DuckDBConnection): Promise<number> => {
  const reader = await connection.runAndReadAll('SELECT max(snapshot) FROM analytics.raw.archive')
  return Number(reader.getRows()[0]![0] ?? 0)
}

/** The files of ids, which never change but may be removed during the copy. */
const openIds = (folder: string) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.ids'))
    .map((name) => ({ name: `${basename(folder)}/${name}`, file: openSync(join(folder, name), 'r') }))

/** Writes states for new query processes into the archive's folder. `close` is called once the store is not used any more. */
export class StateWriter {
  readonly #options: WriteStatesOptions
  /** The open file of the store. To close it gives up DuckDB's lock on the file, so it stays open. */
  #store: number | undefined
  /** When the states are looked at next. */
  #lookAtMs = 0

  constructor(options: WriteStatesOptions) {
    this.#options = options
  }

  /** Writes a state when the newest one is too old or too far behind. It may be run each second. */
  get chore(): Chore {
    return {
      failure: 'No state for new query processes could be written; it is tried again in ten minutes.',
      run: async (connection, isStopped) => {
        const { archive, isArchiver, connection: log } = this.#options
        // After an erase, or when another process has ended, the next one that archives looks at once.
        if (!isArchiver()) this.#lookAtMs = 0
        if (!isArchiver() || log() === undefined || !isThere(archive) || performance.now() < this.#lookAtMs)
          return
        this.#lookAtMs = performance.now() + lookMs
        removeStates(archive, ({ isWhole }) => !isWhole)
        const applied = await readApplied(connection)
        const usable = this.#usable()
        if (this.#isDue(applied, usable.at(0))) await this.#write(connection, applied, isStopped)
        await this.#tidy(connection)
      },
    }
  }

  close(): void {
    if (this.#store !== undefined) closeSync(this.#store)
    this.#store = undefined
  }

  /** The states that a new process of this version could start from, newest first. */
  #usable(): StateHead[] {
    const { archive, followed } = this.#options
    const { id } = followed()
    return positionsIn(archive).flatMap((position) => {
      try {
        const head = readHead(archive, position) as StateHead
        return head.format === 1 && head.log === id && head.storeVersion === storeVersion ? [head] : []
      } catch {
        return []
      }
    })
  }

  #isDue(applied: number, newest: StateHead | undefined): boolean {
    const { maxRowsBehind = usualRowsBehind, maxAgeMs = usualAgeMs } = this.#options
    // A store without a row needs no state: the log has all that a new process needs.
    if (applied === 0 || newest === undefined) return applied > 0
    const behind = applied - newest.position
    // One of a later time was made while the clock was wrong.
    const ageMs = Math.abs(Date.now() - Date.parse(newest.madeAt))
    return behind > maxRowsBehind || (behind > 0 && ageMs > maxAgeMs)
  }

  async #write(connection: DuckDBConnection, applied: number, isStopped: () => boolean): Promise<void> {
    const { archive, folder, held, followed, logger } = this.#options
    const began = performance.now()
    const positions = this.#usable().map(({ position }) => position)
    // The log keeps what the state will need before it is known where exactly the state ends.
    await this.#keep(connection, [...positions, applied])
    const position = await holdFile(connection, held)
    const target = folderOf(archive, position)
    const writing = target + unfinished
    try {
      await this.#keep(connection, [...positions, applied, position])
      const { id, marks = [] } = followed()
      mkdirSync(writing, { mode: 0o700 })
      const files = await this.#copy(folder, writing, isStopped)
      const head: StateHead = {
        format: 1,
        madeAt: new Date().toISOString(),
        log: id,
        position,
        storeVersion,
        marks: marks.filter(({ last }) => last <= position),
        files,
      }
      writeWhole(join(writing, headName), `${JSON.stringify(head, undefined, 2)}\n`)
      await syncFolder(writing)
      // One of this position that is there is torn, or of another version.
      removeStates(archive, (each) => each.isWhole && each.position === position)
      renameSync(writing, target)
      await syncFolder(archive.path)
    } finally {
      await connection.run('ROLLBACK')
      removeStates(archive, ({ isWhole }) => !isWhole)
    }
    logger.info('A state for new query processes is in the archive.', {
      position,
      seconds: Math.round((performance.now() - began) / 1000),
    })
  }

  async #copy(
    folder: DataFolder,
    target: string,
    isStopped: () => boolean,
  ): Promise<Record<string, FileSum>> {
    const path = folder.catalogFile('analytics')
    this.#store ??= openSync(path, 'r')
    const ids = openIds(folder.insertIds)
    const sums: Record<string, FileSum> = {}
    const copy = async (name: string, file: number) => {
      const unstopped = async function* () {
        for await (const chunk of readPart(file, fstatSync(file).size)) {
          if (isStopped()) throw new Error('the engine stops')
          yield chunk
        }
      }
      sums[name] = await writeHashed(join(target, name), unstopped())
      await syncFolder(dirname(join(target, name)))
    }
    try {
      await copy(basename(path), this.#store)
      for (const { name, file } of ids) await copy(name, file)
    } finally {
      for (const { file } of ids) closeSync(file)
    }
    return sums
  }

  /** Keeps the newest states, and what a new process needs that starts from them. */
  async #tidy(connection: DuckDBConnection): Promise<void> {
    const { archive } = this.#options
    const positions = this.#usable()
      .slice(0, kept)
      .map(({ position }) => position)
    removeStates(archive, ({ position }) => !positions.includes(position))
    await this.#keep(connection, positions)
  }

  /** Keeps the log's rows behind these positions, and the archive's files on the store's list. */
  async #keep(connection: DuckDBConnection, positions: readonly number[]): Promise<void> {
    const log = this.#options.connection()
    if (log === undefined) throw new Error('there is no connection to the log in PostgreSQL')
    await keepForStates(log, [...new Set(positions)], await readSnapshot(connection))
  }
}
