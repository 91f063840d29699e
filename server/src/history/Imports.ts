import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { mkdir, readdir, rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { DataFolder } from '../disk/DataFolder.js'
import { DiskRoom, lookAtDisk } from '../disk/DiskRoom.js'
import { HttpError, refuse } from '../http/HttpError.js'
import { clientPatienceMs } from '../http/readBody.js'
import { ProcessEnded, SideProcess } from '../link/SideProcess.js'
import { reasonOf } from '../OperatorError.js'
import type { EntryKind } from '../payloads/payloads.js'
import { explainEnd, spoolFile } from '../upload/spoolBody.js'
import type { Intake } from '../wal/Intake.js'
import type { FromReader, Report, ToReader } from './readProcess.js'

export const sources = ['plausible', 'umami', 'ga4', 'posthog', 'matomo', 'csv', 'crawlers'] as const
export type Source = (typeof sources)[number]

/** From `src`, too, this names what was compiled: Node runs no TypeScript. */
const program = fileURLToPath(new URL('../../dist/history/readProcess.js', import.meta.url))

const maxBytes = 100 * 1_000_000_000
const readerMemory = 2 ** 29
/** Node, DuckDB's program and what DuckDB does not count. */
const besideBytes = 2 ** 28
const leastMs = 600_000
/** A slow disk reads a megabyte in a tenth of this. */
const msOfMegabyte = 1000
/** A file that nobody imports is removed after this time, because it may hold anything about people. */
const forgottenMs = 3_600_000
/** How long a batch at most rests after another one. */
const longestRestMs = 1000
/** Who counts as the sender of what is imported, where senders share what the service can take. */
const holder = 'history'

export interface Asked {
  source: Source
  environment: string
  name: string
  site: string
  map: Record<string, string>
}

interface Current extends Asked {
  /** Its id; the same file, brought to the same environment in the same way, has the same one. */
  imported: string
  hash: string
  bytes: number
  state: 'receiving' | 'reading' | 'ready' | 'importing' | 'done' | 'failed'
  report: Report | undefined
  /** How many rows were accepted. */
  done: number
  refused: Record<string, number>
  message: string | undefined
  reader: SideProcess<ToReader, FromReader> | undefined
  stopped: AbortController
}

/** What is told of an import. */
export interface ImportState {
  state: Current['state']
  imported: string
  source: Source
  environment: string
  name: string
  bytes: number
  report: Report | null
  done: number
  refused: Readonly<Record<string, number>>
  message: string | null
  /** The day on which retention deletes its events; null where they stay. */
  kept_until: string | null
}

export interface ImportsOptions {
  folder: DataFolder
  intake: Intake
  environments: ReadonlySet<string>
  retentionDays: Readonly<Record<string, number>>
  minFreeDiskBytes: number | undefined
  /** Counts the rows that are accepted, for the metrics. */
  accepted: Record<EntryKind, number>
}

const stopped = () =>
  refuse(409, 'import-stopped', 'This import was stopped by DELETE /history.', { connection: 'close' })
export const busy = () =>
  refuse(
    409,
    'import-running',
    'Another file is being imported, or taken back. Wait for it, or stop it by DELETE /history.',
  )

/**
 * Brings the export of another program into the store, one file at a time:
 *
 *   receiving → reading ⇄ ready → importing → done
 *   any of them → failed, or gone: stopped, forgotten, or the service ended
 *
 * Every row goes the way of `/track`. A batch is stored before the next one is sent, and then rests as long as that took,
 * so live events have half of what the engine can store, and wait for one batch at most. Whatever is sent twice is stored
 * once, so an import that broke off is begun anew with the same file.
 */
export class Imports {
  readonly #options: ImportsOptions
  #current: Current | undefined
  #forgotten: NodeJS.Timeout | undefined
  #cleaned: Promise<void> = Promise.resolve()
  #isTakingBack = false

  constructor(options: ImportsOptions) {
    this.#options = options
    rmSync(options.folder.history, { recursive: true, force: true })
  }

  get state(): ImportState | null {
    const current = this.#current
    if (current === undefined) return null
    const { source, environment, name, imported, bytes, state, report, done, refused, message } = current
    const days = this.#options.retentionDays[environment]
    return {
      state,
      imported,
      source,
      environment,
      name,
      bytes,
      report: report ?? null,
      done,
      refused,
      message: message ?? null,
      kept_until:
        days === undefined ? null : new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10),
    }
  }

  /** Takes an import back. Beside it none runs: an event that both have would be known as a copy, and then be gone. */
  async takeBack(work: () => Promise<void>): Promise<void> {
    if (this.#current?.state === 'importing' || this.#isTakingBack) throw busy()
    this.#isTakingBack = true
    await work().finally(() => (this.#isTakingBack = false))
  }

  get #file(): string {
    return join(this.#options.folder.history, 'file')
  }

  /** Takes a file, and begins to read it. */
  async receive(request: IncomingMessage, asked: Asked): Promise<void> {
    if (['receiving', 'reading', 'importing'].includes(this.#current?.state ?? '')) throw busy()
    const { folder, minFreeDiskBytes } = this.#options
    const before = this.#current
    const current: Current = {
      ...asked,
      imported: '',
      hash: '',
      bytes: 0,
      state: 'receiving',
      report: undefined,
      done: 0,
      refused: {},
      message: undefined,
      reader: undefined,
      stopped: new AbortController(),
    }
    // At once, so that of two files that come in one moment the second finds the first.
    this.#current = current
    const { signal } = current.stopped
    try {
      await this.#stop(before)
      await mkdir(folder.history, { recursive: true, mode: 0o700 })
      const { reserveBytes } = await DiskRoom.open(folder, minFreeDiskBytes)
      const hash = createHash('sha256')
      const limits = { maxBytes, reserveBytes, idleMs: clientPatienceMs }
      current.bytes = await spoolFile(request, this.#file, limits, async function* ({ chunks }) {
        for await (const chunk of chunks) {
          signal.throwIfAborted()
          hash.update(chunk)
          yield chunk
        }
      })
      signal.throwIfAborted()
      current.hash = hash.digest('hex')
    } catch (error) {
      if (this.#current === current) await this.drop()
      throw error
    }
    this.read(asked.map)
  }

  /** Reads the file, perhaps anew with other columns. */
  read(map: Record<string, string>): void {
    const current = this.#current
    if (current === undefined || current.hash === '') throw refuse(409, 'no-import', 'Send a file first.')
    if (current.state === 'importing' || current.state === 'reading') throw busy()
    const { source, environment, site, hash } = current
    const id = createHash('sha256')
      .update(JSON.stringify([hash, environment, site, map]))
      .digest('hex')
    Object.assign(current, {
      map,
      imported: `${source}-${id.slice(0, 12)}`,
      state: 'reading',
      done: 0,
      refused: {},
    })
    void this.#guard(current, async () => {
      current.reader?.kill()
      const { history } = this.#options.folder
      const left = (await readdir(history)).filter((each) => each !== 'file')
      await Promise.all(left.map((each) => rm(join(history, each), { recursive: true, force: true })))
      current.stopped.signal.throwIfAborted()
      current.reader = new SideProcess<ToReader, FromReader>(program)
      current.report = await this.#report(current)
      current.state = 'ready'
    })
  }

  async #report({ reader, source, environment, imported, name, site, map, bytes }: Current): Promise<Report> {
    const { folder, minFreeDiskBytes } = this.#options
    const { reserveBytes } = await DiskRoom.open(folder, minFreeDiskBytes)
    const answer = await reader!.ask({
      kind: 'read',
      file: this.#file,
      name,
      source,
      environment,
      imported,
      site,
      map,
      memoryLimit: `${readerMemory}B`,
      mostDiskBytes: Math.max(0, (await lookAtDisk(folder.path)).free - reserveBytes),
      mostBytes: 1.5 * readerMemory + besideBytes,
      longestMs: leastMs + (bytes / 1e6) * msOfMegabyte,
    })
    if (answer.kind !== 'report') throw new Error(answer.kind === 'refused' ? answer.message : '')
    return answer.report
  }

  /** Begins to import what was read. */
  start(): void {
    const current = this.#current
    if (current?.state !== 'ready')
      throw refuse(
        409,
        'no-import',
        'There is no file that was read: send one, and wait for the state ready.',
      )
    if (this.#isTakingBack) throw busy()
    current.state = 'importing'
    void this.#guard(current, async () => {
      for (let isLast = false; !isLast;) {
        const part = await current.reader!.ask({ kind: 'next' })
        if (part.kind !== 'part') throw new Error(part.kind === 'refused' ? part.message : '')
        this.#note(current, part.refused)
        if (part.count > 0) await this.#accept(current, part)
        isLast = part.isLast
      }
      current.stopped.signal.throwIfAborted()
      await this.#clean(current)
      // Whoever reads this may send the next file, whose folder is the same.
      current.state = 'done'
    })
  }

  #note({ refused }: Current, more: Readonly<Record<string, number>>): void {
    for (const [reason, rows] of Object.entries(more)) {
      // Reasons name values of the file, so there could be as many as rows.
      const known = refused[reason] !== undefined || Object.keys(refused).length < 20
      const name = known ? reason : 'other reasons'
      refused[name] = (refused[name] ?? 0) + rows
    }
  }

  /** Sends a batch as soon as the service takes it, waits until it is stored, and rests. */
  async #accept(current: Current, { body, count }: { body: string; count: number }): Promise<void> {
    const { intake, accepted } = this.#options
    const { signal } = current.stopped
    const kind = current.report!.kind === 'events' ? 'track' : 'sums'
    for (;;) {
      signal.throwIfAborted()
      const began = performance.now()
      try {
        const record = { kind, count, receivedAtMs: Date.now(), body: Buffer.from(body) }
        const { deadLetter } = await intake.accept(record, true, holder)
        if (kind === 'track') accepted.track += count
        if (deadLetter !== undefined) this.#note(current, { [deadLetter.reason]: deadLetter.rows })
        current.done += count
        await delay(Math.min(longestRestMs, performance.now() - began), undefined, { signal })
        return
      } catch (error) {
        if (!(error instanceof HttpError) || error.status !== 503) throw error
        await delay(1000 * Number(error.headers['retry-after'] ?? 1), undefined, { signal })
      }
    }
  }

  /** Does a part of an import, and says what went wrong, if it is not gone by then. */
  async #guard(current: Current, work: () => Promise<void>): Promise<void> {
    clearTimeout(this.#forgotten)
    try {
      await work()
    } catch (error) {
      if (current.stopped.signal.aborted) return
      current.state = 'failed'
      current.message = error instanceof ProcessEnded ? explainEnd(error.limit).message : reasonOf(error)
      current.reader?.kill()
    }
    clearTimeout(this.#forgotten)
    if (this.#current === current) this.#forgotten = setTimeout(() => void this.drop(), forgottenMs).unref()
  }

  async #clean(current: Current): Promise<void> {
    current.reader?.kill()
    const remove = () => rm(this.#options.folder.history, { recursive: true, force: true })
    // One after the other, so that none removes what came after a later one.
    this.#cleaned = this.#cleaned.then(remove, remove)
    await this.#cleaned
  }

  /** Stops what runs, and removes the file. What is stored already stays. */
  async drop(): Promise<void> {
    const current = this.#current
    this.#current = undefined
    await this.#stop(current)
  }

  async #stop(current: Current | undefined): Promise<void> {
    clearTimeout(this.#forgotten)
    if (current === undefined) return this.#cleaned
    current.stopped.abort(stopped())
    await this.#clean(current)
  }
}
