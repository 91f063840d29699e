import { fileURLToPath } from 'node:url'
import { refuse, HttpError } from '../http/HttpError.js'
import { ProcessEnded, SideProcess } from '../link/SideProcess.js'
import { ConcurrencyLimit, type Permit } from '../duckdb/ConcurrencyLimit.js'
import type { Staged, ToStage, FromImporter, ToImport } from './stageFile.js'
import { isDiskFailing } from '../OperatorError.js'
import { diskFailing } from '../disk/DiskRoom.js'
import { type CsvDialect, widthMessage } from './createCsvReader.js'
import { quotedCopy } from './readRecords.js'
import { diskFull, explainEnd, refuseFile, tooMuchMemory, unreadable } from './spoolBody.js'

export interface FileToRead extends ToStage {
  bytes: number
  /** The file of DuckDB's that the rows go into. */
  stage: string
}

/** From `src`, too, this names what was compiled: Node runs no TypeScript. */
const program = fileURLToPath(new URL('../../dist/upload/importProcess.js', import.meta.url))

/** A process that has read nothing yet ends after so long. */
const idleMs = 60_000

/** A file of so many bytes has a permit of its own, so that it does not wait for large ones. */
const smallBytes = 8 * 2 ** 20
/** With 128 MiB DuckDB could not read a record of 16 MB, nor three rows of 1,000 columns. */
const leastMemory = 2 ** 28
const mostMemory = 2 ** 30
/** With less for the engine, one large file is read at a time. */
const memoryForTwo = 2 ** 31
const maxWaiting = 20
/** Node, DuckDB's program and what DuckDB does not count. */
const besideBytes = 2 ** 28

const leastMs = 600_000
/** A slow disk reads a megabyte in a tenth of this. */
const msOfMegabyte = 1000

const notStarted = () =>
  refuse(503, 'overloaded', 'There is no room to read the file now. Send it again in a while.', {
    'retry-after': '10',
  })

/**
 * Reads each file in a process of its own. The next one is started while a file is read, because starting takes longer
 * than reading a small file. All processes together have about half as much memory as DuckDB has in the engine.
 */
export class Importers {
  /** The threads of DuckDB in the engine. */
  readonly #threads: number
  readonly #limit: ConcurrencyLimit
  readonly #largeMemory: number
  #spare: SideProcess<ToImport, FromImporter> | undefined
  #idle: NodeJS.Timeout | undefined
  #isClosed = false

  /** `memoryBytes` is what DuckDB may hold in the engine. */
  constructor({ memoryBytes, threads }: { memoryBytes: number; threads: number }) {
    this.#threads = threads
    const permits = memoryBytes < memoryForTwo ? 1 : 2
    this.#limit = new ConcurrencyLimit({ permits, kept: 1, maxWaiting })
    this.#largeMemory = Math.min(mostMemory, Math.max(leastMemory, memoryBytes / (2 * permits)))
  }

  /** Waits until a file of this size may be read and stored. */
  admit(user: string, bytes: number): Promise<Permit> {
    return this.#limit.acquire({ user, isSmall: bytes <= smallBytes })
  }

  /** Starts a process for the next file, unless there is one. It ends when no file comes. */
  prepare(): void {
    if (this.#isClosed) return
    if (this.#spare?.hasEnded !== false) this.#spare = new SideProcess(program)
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => this.#endSpare(), idleMs).unref()
  }

  /** Puts a file's rows into the stage. Rejects with an HttpError that says why they cannot be read. */
  async read({ bytes, ...file }: FileToRead, signal: AbortSignal): Promise<Staged> {
    this.prepare()
    const reader = this.#spare
    this.#spare = undefined
    this.prepare()
    // A server that is being closed waits for the files that it has.
    if (reader === undefined) throw notStarted()
    const kill = () => reader.kill()
    signal.addEventListener('abort', kill)
    try {
      const answer = await reader.ask({ ...file, ...this.#limits(bytes) })
      if (answer.kind === 'staged') return answer.staged
      if (answer.kind === 'failed') throw explainReading(answer.reason, file)
      const { status, code, message, headers } = answer
      throw refuse(status, code, message, headers)
    } catch (error) {
      if (!(error instanceof ProcessEnded)) throw error
      throw reader.hasLoaded ? explainEnd(error.limit) : notStarted()
    } finally {
      signal.removeEventListener('abort', kill)
      kill()
    }
  }

  close(): void {
    this.#isClosed = true
    this.#endSpare()
  }

  #endSpare(): void {
    clearTimeout(this.#idle)
    this.#spare?.kill()
    this.#spare = undefined
  }

  #limits(bytes: number): Pick<ToImport, 'memoryLimit' | 'threads' | 'mostBytes' | 'longestMs'> {
    const memory = bytes <= smallBytes ? leastMemory : this.#largeMemory
    return {
      memoryLimit: `${Math.floor(memory)}B`,
      threads: Math.ceil(this.#threads / 2),
      mostBytes: 1.5 * memory + besideBytes,
      longestMs: leastMs + (bytes / 1e6) * msOfMegabyte,
    }
  }
}

/** Says what is wrong with a row of a csv file. DuckDB's number is one of rows: a text in quotes may have several lines. */
const rowProblem = (message: string, dialect: CsvDialect): string | undefined => {
  const line = /CSV Error on Line: (\d+)/.exec(message)?.[1]
  if (line === undefined) return undefined
  const row = Number(line) + dialect.firstRow - 1
  const [, wanted, found] = /Expected Number of Columns: (\d+) Found: (\d+)/.exec(message) ?? []
  if (wanted !== undefined) return widthMessage(dialect, row, [Number(found), Number(wanted)])
  if (message.includes('not utf-8')) return `Row ${row} holds bytes that are not UTF-8.`
  if (message.includes('unterminated quote')) return `Row ${row} has text behind the quotes of a field.`
  return undefined
}

/** Whether DuckDB broke. Then its message has a trace of its stack, with paths of the machine. */
const isBreak = (reason: string) => /^(INTERNAL|FATAL) Error|\bhas been invalidated\b/.test(reason)

/** The files of an upload, whose paths no client may learn. */
export interface UploadPaths {
  file: string
  stage: string
  /** How a csv file is written. */
  dialect?: CsvDialect | undefined
}

/** DuckDB's own words without what only helps those who know the service's SQL and folders. */
const tidy = (reason: string, { file, stage, dialect }: UploadPaths) =>
  (dialect && rowProblem(reason, dialect)) ??
  [quotedCopy(file), file, stage]
    .reduce((text, path) => text.replaceAll(path, 'the file'), reason)
    .split(/\n\s*(?:LINE \d+:|Possible (?:fixes|solutions?):|Try setting|Stack Trace)/i, 1)[0]!

const isOutOfDisk = (reason: string) =>
  /no space|ENOSPC|could not write|max_temp_directory_size|failed to offload/i.test(reason)

/** Why a file could not be read, from what DuckDB said about it in the process that read it. */
export const explainReading = (reason: string, paths: UploadPaths): HttpError => {
  if (isBreak(reason)) return refuseFile(unreadable)
  if (reason.startsWith('IO Error') && isDiskFailing(reason)) return diskFailing()
  if (isOutOfDisk(reason)) return diskFull()
  return refuseFile(reason.startsWith('Out of Memory Error') ? tooMuchMemory : tidy(reason, paths))
}

/** Why rows that were read could not be stored, from what the engine's DuckDB, or the system, said about it. */
export const explainStoring = (reason: string, paths: UploadPaths): HttpError => {
  if (isDiskFailing(reason)) return diskFailing()
  if (isOutOfDisk(reason)) return diskFull()
  if (!reason.startsWith('Out of Memory Error')) return refuseFile(tidy(reason, paths))
  const message = 'There is too little memory to store the file now. Nothing was stored.'
  return refuse(503, 'overloaded', message, { 'retry-after': '60' })
}
