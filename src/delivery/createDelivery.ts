import type { Browser } from '../browser/browser'
import { sizeOf, type Payload } from '../queue/payload'
import type { Queue } from '../queue/createQueue'
import { claimableAfterMs } from '../queue/createLanes'
import type { Complain } from '../signals'
import type { Config, Stats, Stop } from '../types'
import { toBody } from '../wire'
import { backOff } from './backOff'
import { keepaliveBytes, type Transport } from './createTransport'
import { handOver, mark, type Attempt } from './handOver'
import type { Outcome } from './readOutcome'

/** A refused configuration is probed as rarely as the seventh failure in a row: after one to three minutes. */
const misconfiguredFailures = 7

/** Left free of the browser's 64 KiB at unload, for other scripts of the page. */
const spareBytes = 4096

/** How soon after a page was hidden a rejection is doubted (Chromium: some 10 ms), and for how long. */
const doubtWithinMs = 100
const believeAfterMs = 300

interface Parts {
  browser: Browser
  queue: Queue
  transport: Transport
  config: Config
  complain: Complain
  /** Whether the last request, of this page or an earlier one, did well; kept on disk. */
  health: { isGood(): boolean; set(good: boolean): unknown }
  /** Fetches more of what other pages left. Resolves to whether there was any. */
  adoptMore: () => Promise<boolean>
}

/** Decides when to send, sends one batch after the other, and acts on each answer. */
export function createDelivery({ browser, queue, transport, config, complain, health, adoptMore }: Parts) {
  const { maxEvents, maxBytes, intervalMs } = config.batch
  let running: Promise<void> | undefined
  let inFlight: Payload[] = []
  let failures = 0
  let state: Stats['state'] = 'idle'
  let stopTimer: Stop | undefined
  let reported = ''
  let left = false
  /** How far to send: the newest record when it was last asked. */
  let until = 0
  let isDue = false
  let hiddenAt = -Infinity
  let attempts: Attempt[] = []

  const setTimer = (ms: number) => {
    stopTimer?.()
    stopTimer = browser.after(ms, () => {
      stopTimer = undefined
      void drain()
    })
  }

  /** Sends all that waits now, or lets the sending under way go on as far. */
  const drain = (): Promise<void> => {
    until = queue.newest()
    isDue = false
    stopTimer?.()
    stopTimer = undefined
    if (running) return running
    const mine = run()
      .catch(() => {})
      .then(() => {
        // A page that came back from the page cache may have begun anew.
        if (running !== mine) return
        running = undefined
        if (!left && !stopTimer && queue.size().queued) setTimer(intervalMs)
      })
    return (running = mine)
  }

  const run = async () => {
    do {
      for (let batch; !left && (batch = queue.next(maxBytes)).length;) {
        // What came in meanwhile waits for the next flush, unless it is enough for one: a page that tracks all the
        // time would send a request for every few events.
        if (batch[0]!.row.sequence > until && queue.size().queued < maxEvents) break
        if (!(await deliver(batch))) return
      }
    } while (!left && (await adoptMore()))
  }

  /** Sends one batch, or its halves around a payload that is refused. Resolves to whether to go on. */
  const deliver = async (batch: Payload[]): Promise<boolean> => {
    batch = await queue.stillOurs(batch, claimableAfterMs)
    if (left) return false
    if (!batch.length) return true

    const body = toBody(batch)
    inFlight = batch
    mark(batch, 'in-flight')
    state = 'sending'
    const outcome = await transport.send(batch[0]!.kind, body, sizeOf(batch))
    const isWell = !failures && health.isGood()
    if (
      outcome.status === 'retry' &&
      outcome.isUnanswered &&
      isWell &&
      browser.now() - hiddenAt < doubtWithinMs
    ) {
      // A window that closes itself is hidden first, and then Chromium rejects a request that it does deliver. If the
      // page goes now, the batch counts as handed over.
      await new Promise<void>((resolve) => browser.after(believeAfterMs, resolve))
    }
    // The page left meanwhile (and came back from the page cache): the batch counted as handed over.
    if (inFlight !== batch) return false
    inFlight = []
    mark(batch, 'waiting')
    return act(batch, outcome)
  }

  const act = async (batch: Payload[], outcome: Outcome): Promise<boolean> => {
    if (outcome.status === 'retry' || outcome.status === 'misconfigured') {
      fail(outcome)
      return false
    }
    failures = 0
    reported = ''
    state = 'idle'
    health.set(true)
    if (outcome.status === 'accepted') {
      const { taskId } = outcome
      queue.finish(batch, { status: 'accepted', ...(taskId && { taskId }) })
    } else if (batch.length > 1) {
      const middle = batch.length >> 1
      return (await deliver(batch.slice(0, middle))) && deliver(batch.slice(middle))
    } else {
      queue.finish(batch, { status: 'dropped', reason: 'quarantined', errorCode: outcome.errorCode })
    }
    return true
  }

  const fail = (outcome: Outcome & { status: 'retry' | 'misconfigured' }) => {
    failures++
    health.set(false)
    if (outcome.status === 'misconfigured') {
      state = 'paused'
      setTimer(backOff(Math.max(failures, misconfiguredFailures), browser.random()))
      report(outcome.errorCode)
    } else {
      state = 'waiting'
      setTimer(backOff(failures, browser.random(), outcome.afterMs))
    }
  }

  /** Once for each cause, and to the console: someone has to mend it. */
  const report = (code: string) => {
    if (code === reported) return
    reported = code
    const wrong =
      code === 'environment-not-found'
        ? `environment "${config.environment}"`
        : code === 'http-404'
          ? `endpoint "${config.endpoint}"`
          : 'API key'
    complain(code, `The service does not know the ${wrong}. Correct it; events are kept.`, true)
  }

  const leave = () => {
    left = true
    stopTimer?.()
    stopTimer = undefined
    if (!browser.online() || failures || !health.isGood()) return
    const keepOnDisk = config.delivery === 'at-least-once'
    const hand = (batch: Payload[]) => queue.finish(batch, { status: 'handed-off' }, keepOnDisk)
    // Firefox can cut the first handler short: the second finishes what was begun, deletes it once more, and sends
    // what was not.
    for (const { payloads, begun } of attempts) {
      if (begun) {
        hand(payloads)
        if (!keepOnDisk) queue.deleteAgain(payloads)
      } else mark(payloads, 'waiting')
    }
    attempts = attempts.filter(({ begun }) => begun)
    // A keepalive request in flight outlives the page; a larger one may not, and stays for the next visit.
    const payloads = inFlight
    inFlight = []
    if (payloads.length && sizeOf(payloads) <= maxBytes) {
      attempts.push({ payloads, begun: true })
      hand(payloads)
    }
    const used = attempts.reduce((sum, attempt) => sum + sizeOf(attempt.payloads), 0)
    handOver(queue.all, transport, maxBytes, keepaliveBytes - spareBytes - used, attempts, hand)
  }

  return {
    /** A payload was put. In a page that is leaving it goes to the browser at once. */
    wake() {
      if (left) leave()
      else if (!queue.size().queued || running || state === 'waiting' || state === 'paused') return
      else if (queue.size().queued >= maxEvents && !isDue) {
        // Not in the task of the caller, unless a hidden page would wait a second for a timer: a page that goes
        // before its first request does not know that the service is down.
        isDue = true
        if (browser.hidden()) void drain()
        else setTimer(0)
      } else if (!stopTimer) setTimer(intervalMs)
    },

    drain,

    /** Tries at once what was waiting for a better time. */
    retry() {
      if (!left && queue.size().queued) void drain()
    },

    /** A tab was switched, or a window is about to close itself. */
    hide() {
      hiddenAt = browser.now()
      if (!left && queue.size().queued) void drain()
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
      inFlight = []
      attempts = []
      running = undefined
      state = 'idle'
    },

    stop() {
      left = true
      stopTimer?.()
    },

    state: () => state,
  }
}
