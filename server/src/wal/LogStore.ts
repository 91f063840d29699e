import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { analyticsCatalog } from '../duckdb/quote.js'
import { damaged, OperatorError, reasonOf } from '../OperatorError.js'
import { LogReader } from './LogReader.js'
import { beforeOf, scanLog } from './scanLog.js'
import { WriteAheadLog } from './WriteAheadLog.js'
import { writeWhole } from '../disk/writeWhole.js'

interface State {
  /** Signs task ids; made once per store. */
  secret: string
  /** The number of each catalog's log, which never changes. */
  numbers: Record<string, number>
  /** The catalogs whose logs have a first file. */
  begun: string[]
  /** The name of this store among the readers of a log in PostgreSQL. */
  reader?: string
  /** The log in PostgreSQL that analytics is filled from. */
  followed?: FollowedLog
}

/** Identifies a log in PostgreSQL, also after its database was copied elsewhere. */
export interface LogIdentity {
  id: string
  /** Signs task ids and logins; all processes on the log share it. In base64. */
  secret: string
}

/** A group of requests that was read from a log in PostgreSQL. */
export interface Mark {
  /** The sequence of its last row. */
  last: number
  /** The salt of its frame: no other group has the same one. */
  salt: Buffer
}

export interface FollowedLog extends LogIdentity {
  /** The groups that were read last, with their salts in base64. */
  marks?: { last: number; salt: string }[]
  /** Why it can no longer be followed. */
  lost?: string
}

const stateFile = (folder: string) => join(folder, 'logs.json')

/** A copy of a folder gets another name because its position differs: the name holds the folder's inode. */
const nameOf = (reader: string, folder: string) => `${reader}-${statSync(folder).ino}`

const readState = (folder: string): State | undefined => {
  const file = stateFile(folder)
  if (!existsSync(file)) return undefined
  try {
    const state = JSON.parse(readFileSync(file, 'utf8')) as State
    if (typeof state.secret !== 'string' || typeof state.numbers !== 'object')
      throw new Error('unknown format')
    return state
  } catch (error) {
    throw damaged(`${file} cannot be read (${reasonOf(error)})`)
  }
}

/** The write-ahead logs of all catalogs in one folder, and the state that must outlive a restart with them. */
export class LogStore {
  readonly #folder: string
  readonly #state: State

  private constructor(folder: string, state: State) {
    this.#folder = folder
    this.#state = state
  }

  /** Opens the logs for the process that writes them. */
  static open(folder: string): LogStore {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const known = readState(folder)
    if (known !== undefined) return new LogStore(folder, known)
    const store = new LogStore(folder, { secret: randomBytes(32).toString('base64'), numbers: {}, begun: [] })
    store.#save()
    return store
  }

  /** Opens the logs for a process that reads them; undefined until the writing process has made them. */
  static openToRead(folder: string, catalogs: readonly string[]): LogStore | undefined {
    const state = readState(folder)
    if (state === undefined) return undefined
    return catalogs.every((catalog) => catalog in state.numbers) ? new LogStore(folder, state) : undefined
  }

  /** Makes the files of all logs in a folder that holds only their state, so that each goes on after its row in `behind`. */
  static async begin(folder: string, behind: Readonly<Record<string, number>>): Promise<void> {
    const state = readState(folder)
    if (state === undefined) return
    // A store that follows a log in PostgreSQL may go on with files of its own from here.
    if (state.followed !== undefined) state.begun.push(analyticsCatalog)
    for (const catalog of state.begun) {
      const log = await WriteAheadLog.open(join(folder, catalog), behind[catalog])
      await log.close()
    }
    new LogStore(folder, state).#save()
  }

  /** Makes the state of the logs for a store that was filled elsewhere from a log in PostgreSQL, of which it is a new reader. */
  static beginFollowing(folder: string, followed: FollowedLog): void {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    new LogStore(folder, {
      secret: randomBytes(32).toString('base64'),
      numbers: {},
      begun: [],
      followed,
    }).#save()
  }

  /** The catalogs whose logs have files in a folder. */
  static catalogsIn(folder: string): readonly string[] {
    return readState(folder)?.begun ?? []
  }

  /** Whether analytics is filled from a log in PostgreSQL. */
  static followsIn(folder: string): boolean {
    return readState(folder)?.followed !== undefined
  }

  /** The name that the engine's process has given the store among the readers of a log in PostgreSQL. */
  static readerIn(folder: string): string | undefined {
    const reader = readState(folder)?.reader
    return reader === undefined ? undefined : nameOf(reader, folder)
  }

  get taskSecret(): Buffer {
    return Buffer.from(this.#state.secret, 'base64')
  }

  /** The number of a catalog's log, made when it has none. */
  numberOf(catalog: string): number {
    const { numbers } = this.#state
    if (!(catalog in numbers)) {
      numbers[catalog] = Object.keys(numbers).length
      this.#save()
    }
    return numbers[catalog]!
  }

  /** The sequence up to which a catalog's log has been given up: all rows up to it must be in the catalog's file. */
  trimmedOf(catalog: string): number {
    const folder = join(this.#folder, catalog)
    return existsSync(folder) ? beforeOf(folder) : 0
  }

  /** Whether a catalog's log has a first file. */
  isBegun(catalog: string): boolean {
    return this.#state.begun.includes(catalog)
  }

  /** The log in PostgreSQL that replaces the files of analytics; undefined when there is none. */
  get followed(): FollowedLog | undefined {
    return this.#state.followed
  }

  get readerName(): string {
    if (this.#state.reader === undefined) {
      this.#state.reader = randomUUID()
      this.#save()
    }
    return nameOf(this.#state.reader, this.#folder)
  }

  /** From now on analytics is filled from a log in PostgreSQL. The rows of its own log must all be stored. */
  follow(log: FollowedLog): void {
    this.#state.followed = log
    this.#state.begun = this.#state.begun.filter((each) => each !== analyticsCatalog)
    this.#save()
    rmSync(join(this.#folder, analyticsCatalog), { recursive: true, force: true })
  }

  /** Keeps what was read last from the followed log, so that a loss is also noticed after a restart. */
  note(marks: readonly Mark[]): void {
    const kept = marks.map(({ last, salt }) => ({ last, salt: salt.toString('base64') }))
    this.#state.followed = { ...this.#state.followed!, marks: kept }
    this.#save()
  }

  /** The marks that `note` kept last. */
  get marks(): Mark[] {
    const { marks = [] } = this.#state.followed ?? {}
    return marks.map(({ last, salt }) => ({ last, salt: Buffer.from(salt, 'base64') }))
  }

  /** Stops following the log, also after a restart: nothing more of it is stored. */
  lose(reason: string): void {
    this.#state.followed = { ...this.#state.followed!, lost: reason }
    this.#save()
  }

  /** How many rows of a catalog's own log are not stored. */
  async waitingOf(catalog: string, applied: number): Promise<number> {
    if (!this.isBegun(catalog)) return 0
    const { last } = await scanLog(join(this.#folder, catalog))
    return Math.max(0, last - applied)
  }

  /** Opens the log of a catalog to write it. */
  async writer(catalog: string): Promise<WriteAheadLog> {
    const folder = join(this.#folder, catalog)
    const isBegun = this.isBegun(catalog)
    if (this.#state.followed !== undefined) {
      if (!isBegun) {
        throw new OperatorError(
          `The store in ${dirname(this.#folder)} follows a log in PostgreSQL: start it with --log. To go on with files instead, restore a backup of it.`,
        )
      }
      // From here the store takes events of its own. If it ever follows a log again, it must be a new reader.
      delete this.#state.followed
      delete this.#state.reader
      this.#save()
    }
    if (isBegun && !(existsSync(folder) && readdirSync(folder).some((name) => name.endsWith('.wal')))) {
      throw damaged(`the write-ahead log in ${folder} is missing`)
    }
    const log = await WriteAheadLog.open(folder)
    if (!isBegun) {
      this.#state.begun.push(catalog)
      this.#save()
    }
    return log
  }

  /** Opens the log of a catalog to apply it, up to the row that `durable` gives. */
  reader(catalog: string, durable: () => number): LogReader {
    return new LogReader(join(this.#folder, catalog), durable)
  }

  #save(): void {
    writeWhole(stateFile(this.#folder), JSON.stringify(this.#state))
  }
}
