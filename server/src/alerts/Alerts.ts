import { randomUUID } from 'node:crypto'
import { readAsk, statementOf } from '../answers/answers.js'
import { createMutex, type OneAtATime } from '../duckdb/transactions.js'
import type { Database } from '../duckdb/Database.js'
import { HttpError } from '../http/HttpError.js'
import { reasonOf } from '../OperatorError.js'
import { readTable, type TableReader } from '../sql/readTable.js'
import { messageOf, refuseField } from '../sql/refuse.js'
import { Recurring } from '../Watchdog.js'
import { type Alert, type Receiver, type SealedReceiver, unseal } from './alert.js'
import type { Message, State } from './alertsSchema.js'
import { type AskFor, digest, judge, type Judgement, lastSpan, type Span, writeMessage } from './judge.js'
import { lostMs, Outbox, type OutboxOptions, readWaitingMessages } from './Outbox.js'
import { send } from './send.js'

interface AlertsOptions extends TableReader, OutboxOptions {
  database: Database
  /** Asks which row of the log was the newest at this moment; the answer comes by `take`. */
  askClock(atMs: number): void
  /** The last row of the log that the store has. */
  applied(): number
  /** Whether this process is the one of all on the log that judges and sends. */
  isFirst(): Promise<boolean>
}

interface Kept {
  name: string
  alert: Alert
  version: number
  state: State | null
  savedMs: number
}

/** What this process knows of an alert beyond what the log has. */
interface Memo {
  version: number
  /** The end of the time that was judged last. */
  untilMs: number
  failures: number
  /** It is left alone until then, on the clock of this process: its news is on its way, or it has failed. */
  restsUntilMs: number
}

const lookMs = 1000
/** What was found is noted at least so often, also while nothing changes. */
const noteMs = 3_600_000
/** After a query that failed for want of time or room. */
const restMs = 60_000
/** So often a query may fail for want of time or room before somebody is told. */
const maxFailures = 3
const maxRows = 1000

const alertsSql =
  'SELECT name, value::VARCHAR, version, state::VARCHAR, epoch_ms(saved_at) FROM analytics.raw.alerts'
/**
 * Judges alerts and sends their messages. What was found goes into the log, and only what every store reads there counts:
 *
 *   a time has ended, and all that was accepted in it is stored → judged → in the log → its message is sent → in the log
 *
 * So a kill loses nothing. Between the sending and its place in the log it may send twice, with one id.
 */
export class Alerts {
  readonly #options: AlertsOptions
  readonly #memos = new Map<string, Memo>()
  readonly #gone = new AbortController()
  readonly #problems = new Recurring()
  readonly #oneAtATime: OneAtATime = createMutex()
  readonly #outbox: Outbox
  #clock: { atMs: number; through: number } | undefined
  #closedMs = -Infinity
  #timer: NodeJS.Timeout | undefined
  #judging: Promise<void> | undefined
  #looking: Promise<void> | undefined

  constructor(options: AlertsOptions) {
    this.#options = options
    this.#outbox = new Outbox(options, this.#gone.signal)
  }

  start(): void {
    this.#timer = setInterval(() => this.look(), lookMs).unref()
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#gone.abort()
    await this.#looking
    await this.#judging
    await this.#oneAtATime(() => Promise.resolve())
  }

  /** The row that was the newest at a moment. */
  take(clock: { atMs: number; through: number }): void {
    this.#clock = clock
  }

  look(): void {
    if (this.#gone.signal.aborted) return
    this.#looking ??= this.#lookOnce()
      .catch((error: unknown) => {
        const reason = reasonOf(error)
        const times = this.#gone.signal.aborted ? undefined : this.#problems.note(reason)
        if (times !== undefined)
          this.#options.logger.error('Alerts could not be looked at.', { reason, times })
      })
      .finally(() => (this.#looking = undefined))
  }

  /** Judges an alert at this moment, and sends its receivers what it would say. */
  async test({ name, alert, receivers }: { name: string; alert: Alert; receivers: readonly Receiver[] }) {
    const span = lastSpan(alert, this.#options.now())
    const found = await this.#find(name, alert, span)
    const message = this.#messageOf({ name, alert, span, found, kind: 'test' })
    const sent = await Promise.all(
      receivers.map((receiver) => send(receiver, message, this.#options.sending, this.#gone.signal)),
    )
    return { message, isBad: 'lines' in found ? null : found.isBad, errors: sent }
  }

  /** The receivers of an alert that is saved. */
  async receiversOf(name: string): Promise<readonly Receiver[]> {
    const sealed = await this.#options.database.use(async (connection) => {
      const reader = await connection.runAndReadAll(
        'SELECT receivers::VARCHAR FROM analytics.raw.alerts WHERE name = $1',
        [name],
      )
      return JSON.parse((reader.getRows()[0]?.[0] as string | undefined) ?? '[]') as SealedReceiver[]
    })
    return sealed.map((each) => unseal(each, this.#options.secret))
  }

  async #lookOnce(): Promise<void> {
    const { database, isFirst, askClock, applied, now } = this.#options
    const [alerts, waiting] = await database.use(async (connection) => {
      const kept = (await connection.runAndReadAll(alertsSql)).getRows() as KeptRow[]
      return [kept.map(readKept), kept.length === 0 ? [] : await readWaitingMessages(connection)] as const
    })
    if (alerts.length === 0 || !(await isFirst())) return
    this.#outbox.sendDue(waiting)
    const clock = this.#clock
    if (clock !== undefined && applied() >= clock.through) {
      this.#closedMs = clock.atMs
      this.#clock = undefined
    }
    if (this.#clock === undefined) askClock(now())
    this.#judging ??= this.#judgeDue(alerts).finally(() => (this.#judging = undefined))
  }

  /** One after the other: those whose time ended first come first. */
  async #judgeDue(alerts: readonly Kept[]): Promise<void> {
    const due = alerts.flatMap((each) => {
      const span = this.#dueSpan(each)
      return span === undefined ? [] : [{ ...each, span }]
    })
    for (const each of due.toSorted((a, b) => a.span.untilMs - b.span.untilMs)) {
      if (this.#gone.signal.aborted) return
      await this.#judgeOne(each, each.span)
    }
    const names = new Set(alerts.map(({ name }) => name))
    for (const name of this.#memos.keys()) if (!names.has(name)) this.#memos.delete(name)
  }

  #dueSpan({ name, alert, version, state, savedMs }: Kept): Span | undefined {
    if (alert.paused === true || this.#closedMs === -Infinity) return undefined
    const memo = this.#memos.get(name)
    if (memo?.version === version && performance.now() < memo.restsUntilMs) return undefined
    const span = lastSpan(alert, this.#closedMs)
    // The first digest is of a time that ends after it was made.
    const usual = alert.when === 'digest' ? savedMs : -Infinity
    const known = Math.max(state?.untilMs ?? usual, memo?.version === version ? memo.untilMs : -Infinity)
    return span.untilMs > known ? span : undefined
  }

  async #judgeOne({ name, alert, version, state }: Kept, span: Span): Promise<void> {
    const memo = this.#memos.get(name)
    const failures = memo?.version === version ? memo.failures : 0
    const note = (more: Partial<Memo>) =>
      this.#memos.set(name, {
        version,
        untilMs: memo?.untilMs ?? -Infinity,
        failures: 0,
        restsUntilMs: 0,
        ...more,
      })
    try {
      const found = await this.#find(name, alert, span)
      const news = this.#newsOf({ name, alert, version, state, span, found })
      if (news === undefined) return void note({ untilMs: span.untilMs })
      this.#options.tell([news])
      note({ restsUntilMs: performance.now() + lostMs })
    } catch (error) {
      if (this.#gone.signal.aborted) return
      const isWrong = error instanceof HttpError && error.status === 400
      if (!isWrong && failures + 1 < maxFailures)
        return void note({ failures: failures + 1, restsUntilMs: performance.now() + restMs })
      const before = state ?? { status: 'unknown', sinceMs: span.untilMs, value: null, expected: '' }
      const next: State = { ...before, untilMs: span.untilMs, error: messageOf(error) }
      if (state?.error === next.error) {
        note({ untilMs: span.untilMs, failures, restsUntilMs: performance.now() + restMs })
        return
      }
      const about = { name, alert, span, found: { error: next.error! }, kind: 'failed' } as const
      // Another reason than before is noted, and not told again.
      const message = state?.error == null ? { message: this.#messageOf(about) } : undefined
      this.#options.tell([{ kind: 'judged', name, version, state: next, ...message }])
      note({ failures, restsUntilMs: performance.now() + lostMs })
    }
  }

  async #find(name: string, alert: Alert, span: Span): Promise<Judgement | { lines: string[] }> {
    const { timezone = 'UTC' } = alert
    const askFor: AskFor = ({ ask }, { fromMs, untilMs }) => {
      const time = { from: new Date(fromMs).toISOString(), until: new Date(untilMs).toISOString() }
      // One at a time, and a small one: beside users' queries it takes one turn as each of theirs.
      return this.#oneAtATime(() =>
        readTable(this.#options, {
          // A user's name has no colon.
          user: `alert:${name}`,
          statement: statementOf(readAsk({ ...ask, ...time }, timezone)),
          timezone,
          limit: maxRows,
          computeSize: 'S',
          readsOnly: refuseField('An alert only reads.'),
          signal: this.#gone.signal,
        }),
      )
    }
    return alert.when === 'digest' ? { lines: await digest(alert, span, askFor) } : judge(alert, span, askFor)
  }

  /** What the log must know; undefined where nothing has changed. */
  #newsOf({
    name,
    alert,
    version,
    state,
    span,
    found,
  }: Omit<Kept, 'savedMs'> & { span: Span; found: Judgement | { lines: string[] } }) {
    const base = { kind: 'judged', name, version } as const
    const { untilMs } = span
    if ('lines' in found) {
      const next: State = { status: 'ok', sinceMs: untilMs, untilMs, value: null, expected: '', error: null }
      return { ...base, state: next, message: this.#messageOf({ name, alert, span, found, kind: 'digest' }) }
    }
    const { value, expected, isBad } = found
    // Where it cannot be said, what is firing goes on.
    const wasFiring = state?.status === 'firing'
    const status = isBad === null ? (wasFiring ? 'firing' : 'unknown') : isBad ? 'firing' : 'ok'
    const isSame = state?.status === status
    const sinceMs = isSame ? state.sinceMs : untilMs
    const next: State = { status, sinceMs, untilMs, value, expected, error: null }
    const isTold = !isSame && (status === 'firing' || (status === 'ok' && wasFiring))
    if (isSame && state.error === null && untilMs - state.untilMs < noteMs) return undefined
    if (!isTold) return { ...base, state: next }
    const [kind, since] =
      status === 'firing' ? (['fired', untilMs] as const) : (['recovered', state!.sinceMs] as const)
    return {
      ...base,
      state: next,
      message: this.#messageOf({ name, alert, span, found, kind, sinceMs: since }),
    }
  }

  #messageOf(about: Omit<Parameters<typeof writeMessage>[0], 'id' | 'nowMs'>): Message {
    return writeMessage({ ...about, id: randomUUID(), nowMs: this.#options.now() })
  }
}

type KeptRow = [name: string, value: string, version: bigint, state: string | null, savedMs: bigint]

const readKept = ([name, value, version, state, savedMs]: KeptRow): Kept => ({
  name,
  alert: JSON.parse(value) as Alert,
  version: Number(version),
  state: state === null ? null : (JSON.parse(state) as State),
  savedMs: Number(savedMs),
})
