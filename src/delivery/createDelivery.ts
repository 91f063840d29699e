import type { Browser } from '../browser/browser'
import { cutBatch } from '../queue/cutBatch'
import type { Queue } from '../queue/createQueue'
import { sizeOf, type Row } from '../queue/row'
import type { Complain } from '../signals'
import type { Config, Stats, Stop } from '../types'
import { toBody } from '../wire'
import { backOff } from './backOff'
import type { Transport } from './createTransport'
import { createHandOver, mark } from './handOver'
import type { Outcome } from './readOutcome'

/** A refused configuration is probed as rarely as the seventh failure in a row: after one to three minutes. */
const misconfiguredFailures = 7

/** How soon after a page was hidden a rejection is doubted (Chromium: some 10 ms), and for how long. */
const doubtWithinMs = 100
const believeAfterMs = 300

/** Decides when to send, sends one batch after the other, and acts on each answer. */
export function createDelivery(
  browser: Browser,
  queue: Queue,
  transport: Transport,
  config: Config,
  complain: Complain,
  /** Kept on disk: whether the last request, of this page or another one, did badly. */
  shared: { values: { down?: true | undefined }; set(change: { down: true | undefined }): void },
  /** Fetches more of what other pages left. Resolves to whether there was any. */
  adoptMore: () => Promise<boolean | undefined>,
) {
  const { maxEvents, maxBytes, intervalMs } = config.batch
  let running: Promise<void> | undefined
  let inFlight: Row[] = []
  let failures = 0
  let stopTimer: Stop = () => {}
  let timerMs = Infinity
  /** The code for which the service refuses the configuration. */
  let paused = ''
  let left = false
  /** How far to send: the newest row when it was last asked. */
  let until = 0
  let hiddenAt = -Infinity
  let handOver = createHandOver(queue, transport, config)

  const wait = (ms: number) => {
    stopTimer()
    // A page that has left has no timer, nor an instance that has ended: an answer may come later.
    timerMs = left ? Infinity : ms
    if (timerMs < Infinity) stopTimer = browser.after(ms, () => void drain())
  }

  /** What is left has its time, unless it has one. */
  const rest = () => {
    if (timerMs === Infinity && queue.size().queued) wait(intervalMs)
  }

  const setDown = (down?: true) => down !== shared.values.down && shared.set({ down })

  /** Sends all that waits now, or lets the sending under way go on as far. Never rejects. */
  const drain = (): Promise<void> => {
    until = queue.all().at(-1)?.key[1] ?? 0
    wait(Infinity)
    return (running ??= run())
  }

  /** The batch that is to be sent now, if there is one. */
  const next = () => {
    const batch = cutBatch(queue.all(), maxBytes)
    // What came in meanwhile waits for the next flush, unless it is enough for one: a page that tracks all the time
    // would send a request for every few events.
    const isDue = batch[0] && (batch[0].key[1] <= until || queue.size().queued >= maxEvents)
    return isDue && !left && batch
  }

  const run = async () => {
    const mine = handOver
    try {
      let batch
      do batch = next()
      while (batch ? await deliver(batch) : (await adoptMore()) || next())
    } catch {}
    // A page that came back from the page cache may have begun anew.
    if (mine !== handOver) return
    // In the task of the last look at the queue: who asks from now on is not told that it is being done.
    running = undefined
    rest()
  }

  /** Sends one batch, or its halves around a payload that is refused. Resolves to whether to go on. */
  const deliver = async (batch: Row[]): Promise<boolean> => {
    batch = await queue.stillOurs(batch)
    if (left || !batch.length) return true

    inFlight = batch
    mark(batch, 'in-flight')
    const bytes = sizeOf(batch)
    const outcome = await transport.send(batch[0]!.kind, toBody(batch), bytes <= maxBytes)
    if (outcome.isUnanswered && !shared.values.down && browser.now() - hiddenAt < doubtWithinMs) {
      // A window that closes itself is hidden first, and then Chromium rejects a request that it does deliver. If the
      // page goes now, the batch counts as handed over.
      await new Promise<void>((resolve) => browser.after(believeAfterMs, resolve))
    }
    // The page left meanwhile (and came back from the page cache): the batch counted as handed over.
    if (inFlight !== batch) return false
    inFlight = []
    mark(batch, 'waiting')

    const { status, errorCode, taskId } = outcome
    // What is gone meanwhile is not taken apart.
    const isRefused = status === 'refused' && batch[0]!.state === 'waiting'
    if (!isRefused && status !== 'accepted') {
      fail(outcome)
      return false
    }
    failures = 0
    paused = ''
    setDown()
    if (isRefused && (batch[1] || batch[0]!.payloads[1])) {
      const rows = batch[1] ? batch : queue.split(batch[0]!)
      const middle = rows.length >> 1
      return (await deliver(rows.slice(0, middle))) && deliver(rows.slice(middle))
    }
    queue.finish(
      batch,
      isRefused ? { status: 'dropped', reason: 'quarantined', errorCode } : { status: 'accepted', taskId },
    )
    return true
  }

  const fail = ({ status, errorCode = '', afterMs }: Outcome) => {
    const isPaused = status === 'misconfigured'
    const isKnown = !isPaused || errorCode === paused
    paused = isPaused ? errorCode : ''
    failures = isPaused ? misconfiguredFailures : failures + 1
    setDown(true)
    wait(backOff(failures, browser.random(), afterMs))
    if (isKnown) return
    // Once for each cause, and to the console: someone has to mend it.
    const wrong =
      errorCode === 'environment-not-found'
        ? `environment "${config.environment}"`
        : errorCode === 'http-404'
          ? `endpoint "${config.endpoint}"`
          : 'API key'
    complain(errorCode, `The service does not know the ${wrong}. Correct it; events are kept.`, true)
  }

  const stop = () => {
    left = true
    wait(Infinity)
  }

  const leave = () => {
    if (!browser.online() || shared.values.down) return
    const sent = inFlight
    inFlight = []
    handOver(sent)
  }

  return {
    /** A payload was put. In a page that is leaving it goes to the browser at once. */
    wake() {
      const { queued } = queue.size()
      const ms = queued < maxEvents ? intervalMs : 0
      if (left) leave()
      else if (!queued || running || failures || ms >= timerMs) return
      // Not in the task of the caller, unless a hidden page would wait a second for a timer: a page that goes before
      // its first request does not know that the service is down.
      else if (!ms && browser.hidden()) void drain()
      else wait(ms)
    },

    drain,

    /** A tab was switched, or a window is about to close itself. A service that is not well is left alone. */
    hide() {
      hiddenAt = browser.now()
      if (!failures) void drain()
    },

    /**
     * The page goes, or may: everything that is not sent is given to the browser, when there is reason to believe
     * that it arrives. Runs in `pagehide` and again in the `hidden` after it, and never writes: WebKit drops every
     * put made there and keeps every delete.
     */
    leave,

    /** The page is back from the page cache. */
    enter() {
      left = false
      paused = ''
      failures = 0
      inFlight = []
      running = undefined
      handOver = createHandOver(queue, transport, config)
      rest()
    },

    isAway: () => left,

    /** The page has left, or the instance ends: from here on nothing is sent, only handed over. */
    stop,

    state: (): Stats['state'] =>
      inFlight.length ? 'sending' : paused ? 'paused' : failures ? 'waiting' : 'idle',
  }
}
