import { backOff, backOffUnheard } from './backOff'
import { claim, scan } from './claim'
import type { Answer } from './contract'
import { defer, handOff } from './handOff'
import { isAnonymous, isAway, runsCalls, type Instance } from './instance'
import type { Attempt, Payload } from './records'
import type { Settings } from './settings'
import { finish, forgetClaimed, isQueued, mark, next } from './queue'
import { complain } from './signals'
import { canOutlive, mayGo, send } from './transport'
import { set } from './visitor'

/**
 * The states of delivery, each with the field that makes it. `learn` alone enters and leaves the two lower ones.
 *
 *   idle ──flush──▶ sending ──accepted, or refused for good──▶ idle
 *                      │ ▲
 *                      │ └──the timer rings (timerAt)──┐
 *                      ├──retry──▶ waiting (failures, settings.down)
 *                      └──misconfigured──▶ paused (isPaused, with failures for a slow probe)
 *
 * A page that leaves gives what is in flight to the browser, and comes back idle. `stats()` names the state.
 */

/** A refused configuration is probed as rarely as the seventh failure in a record: after one to three minutes. */
const misconfiguredFailures = 7

/** For so long a rejection is doubted in a window that closes itself. */
const believeAfterMs = 300

/** A page that has sent everything looks for what others left, but not more often than this. */
const scanEveryMs = 60_000

/** What is known in this session of a service that never answered. */
const unheard = (w: Instance) => {
  const { down, session } = w.settings
  return typeof down === 'object' && down.session === session?.id ? down : undefined
}

/** When a request is due that may wait so long: not before the service may be asked again. */
const dueAt = (w: Instance, ms: number) => Math.max(w.browser.now() + ms, unheard(w)?.tryAt ?? 0)

const wait = (w: Instance, ms: number) => {
  w.stopTimer()
  // A page that has left has no timer, nor an instance that has ended: an answer may come later.
  w.timerAt = isAway(w) ? Infinity : dueAt(w, ms)
  // Another tab may have asked meanwhile.
  if (w.timerAt < Infinity) w.stopTimer = w.browser.after(w.timerAt - w.browser.now(), () => flushDue(w))
}

/** Flushes, as soon as the service may be asked. */
const flushDue = (w: Instance) => (dueAt(w, 0) > w.browser.now() ? wait(w, 0) : void flush(w))

export const setDown = (
  w: Instance,
  // A service that never answered still counts as one when the network is gone.
  down: Settings['down'] = w.settings.down || w.settings.down === false || { misses: 0, tryAt: 0 },
) => down !== w.settings.down && set(w, { down })

/** Sends all that waits now, or lets the sending under way go on as far. Never rejects. */
export const flush = (w: Instance): Promise<void> => {
  w.until = w.records.at(-1)?.key[1] ?? 0
  wait(w, Infinity)
  return (w.running ??= run(w))
}

/** Flushes when the visitor is known, so that calls which wait for that are sent, too. */
export const flushKnown = async (w: Instance) => {
  // A page that goes on in memory does not wait: where the database never answers, the read has no end.
  if (!runsCalls(w)) await w.reading
  if (runsCalls(w)) await flush(w)
}

/** Looks for what other pages left, and sends it. */
export const adoptOthers = async (w: Instance): Promise<void> => {
  try {
    await scan(w, () => void adoptOthers(w))
    // After a failure there is a timer, and before that the service is not to be asked.
    if ((await claim(w)) && !w.failures) flushDue(w)
  } catch (error) {
    tellUnexpected(w, error)
  }
}

/** A transaction may fail, or be aborted because the page goes: the next scan finds the same. */
const tellUnexpected = (w: Instance, error: unknown) => {
  if (!(error instanceof DOMException)) complain(w, 'internal', error)
}

/** The batch that is to be sent now, if there is one. */
const nextDue = (w: Instance) => {
  const batch = next(w, w.config.batch.maxBytes)
  // What came in meanwhile waits for the next flush, unless it is enough for one: a page that tracks all the time
  // would send a request for every few events.
  const isDue = batch[0] && (batch[0].record.key[1] <= w.until || w.queuedCount >= w.config.batch.maxEvents)
  return isDue && !isAway(w) && batch
}

const run = async (w: Instance) => {
  const { attempts } = w
  try {
    for (;;) {
      const batch = nextDue(w)
      if (!(batch ? await deliver(w, batch) : (await more(w)) || nextDue(w))) break
    }
  } catch (error) {
    tellUnexpected(w, error)
  }
  // A page that came back from the page cache may have begun anew.
  if (attempts !== w.attempts) return
  // In the task of the last look at the queue: who asks from now on is not told that it is being done.
  w.running = undefined
  if (w.timerAt < Infinity) return
  // What is left gets its time. Where nothing is left, what comes next does not wait for a retry.
  if (w.queuedCount) wait(w, w.config.batch.intervalMs)
  else w.failures = 0
}

/**
 * Asks by a request without an event whether the service takes events without ids. Those of a batch are dropped if it
 * does not. Resolves to whether to go on.
 */
const ask = async (w: Instance, batch: Payload[]): Promise<boolean> => {
  const { attempts } = w
  if (w.isCounting === undefined) {
    const answer = await send(w, 'anonymous', [])
    if (attempts !== w.attempts) return false
    if (answer.status === 'retry') {
      // While nothing waits, no timer runs.
      if (batch[0]) learn(w, answer, true)
      return false
    }
    w.isCounting = answer.isCounting
    if (!w.isCounting) complain(w, 'anonymous-unknown', answer.errorCode, true)
  }
  if (!w.isCounting) finish(w, batch, { status: 'dropped', reason: 'no-consent' })
  return true
}

/** Everything is sent: claims more, and looks for more now and then. */
const more = (w: Instance) => {
  // A page that goes with its first event can hand that off only if it has the answer by then.
  if (isAnonymous(w) && w.isCounting === undefined) return ask(w, [])
  if (w.browser.now() - w.scannedAt > scanEveryMs) void adoptOthers(w)
  return claim(w)
}

/** Sends one batch, or its halves around a payload that is refused. Resolves to whether to go on. */
const deliver = async (w: Instance, given: Payload[]): Promise<boolean> => {
  if (!mayGo(w, given)) return ask(w, given)

  const { attempts } = w
  const attempt: Attempt = { batch: given, begun: false }
  attempts.push(attempt)
  // From here on: a record that a request carries does not grow.
  mark(w, given, true)
  await forgetClaimed(w, given)
  // The page left meanwhile, and has handed it off.
  if (attempts !== w.attempts) return false
  // The visitor may have refused meanwhile.
  const batch = (attempt.batch = given.filter(isQueued))
  if (isAway(w) || !batch[0]) return !!attempts.pop()
  // A keepalive request outlives the page; a larger one may not, and stays for the next visit.
  attempt.begun = canOutlive(w, batch)
  const answer = await send(w, batch[0].record.kind, batch)
  if (answer.isMissing && w.browser.closing()) {
    // Chromium rejects there what it does deliver. If the page goes now, the batch counts as handed off.
    await new Promise<void>((resolve) => w.browser.after(believeAfterMs, resolve))
  }
  // The page left meanwhile (and came back from the page cache): the batch counted as handed off.
  if (attempts !== w.attempts) return false
  attempts.pop()
  mark(w, batch, false)

  const { status } = answer
  const isRefused = status === 'refused'
  const isDown = !isRefused && status !== 'accepted'
  learn(w, answer, isDown)
  if (isDown) return false
  if (isRefused && batch[1]) {
    const middle = batch.length >> 1
    return (await deliver(w, batch.slice(0, middle))) && deliver(w, batch.slice(middle))
  }
  finish(
    w,
    batch,
    isRefused
      ? { status: 'dropped', reason: 'quarantined', errorCode: answer.errorCode }
      : { status: 'accepted', taskId: answer.taskId },
  )
  return true
}

/** How the service is, and when to try again. */
const learn = (w: Instance, answer: Answer, isDown: boolean) => {
  const { isMissing } = answer
  const random = w.browser.random()
  w.isPaused = answer.status === 'misconfigured'
  tellTrouble(w, answer, isDown)
  if (isMissing && typeof w.settings.down !== 'boolean' && w.browser.online()) {
    const misses = (unheard(w)?.misses ?? 0) + 1
    const tryAt = w.browser.now() + backOffUnheard(misses, random)
    setDown(w, { misses, tryAt, session: w.settings.session?.id })
    w.failures = 0
    return wait(w, 0)
  }
  w.failures = w.isPaused ? misconfiguredFailures : isDown ? w.failures + 1 : 0
  setDown(w, isMissing ? undefined : isDown)
  if (isDown) wait(w, backOff(w.failures, random, answer.afterMs))
}

/**
 * Says why nothing is accepted: once for each cause, until something is. What someone has to mend goes to the console: a
 * key, an environment, a proxy without a rule. A service that is not well is told of at its third failure.
 */
const tellTrouble = (w: Instance, { errorCode = '', isMissing, strange }: Answer, isDown: boolean) => {
  let code = ''
  let what = w.config.endpoint + ' ' + w.config.environment
  if (!isDown) w.told = ''
  else if (isMissing) code = 'unreachable'
  else if (strange) {
    code = 'not-the-service'
    what = strange
  } else if (w.isPaused) code = errorCode
  else if (w.failures > 1) {
    code = 'service-fails'
    what = errorCode
  }
  if (!code || w.told.includes(code)) return
  w.told += code
  complain(w, code, what, w.config.debug || w.isPaused || !!strange)
}

/** A payload was put. In a page that is leaving it goes to the browser at once. */
export const wake = (w: Instance) => {
  const { maxEvents, intervalMs } = w.config.batch
  // Payloads that are in memory alone do not wait for more.
  const ms = w.queuedCount < maxEvents && !isAnonymous(w) ? intervalMs : 0
  // Its handlers do that by themselves.
  if (w.pageState === 'leaving') return
  if (isAway(w)) leave(w)
  else if (!w.queuedCount || w.running || w.failures || dueAt(w, ms) >= w.timerAt) return
  // A hidden page waits a second for a timer. But not in the midst of what the caller does: it may track more, or
  // refuse, and a page that goes before its first request does not know that the service is down.
  else if (!ms && w.browser.hidden()) w.browser.soon(() => flushDue(w))
  else wait(w, ms)
}

/** A tab was switched, or a window is about to close itself. A service that is not well is left alone. */
export const hide = (w: Instance) => {
  defer(w)
  if (!w.failures && !w.settings.down) void flushKnown(w)
}

/**
 * The page goes, or may: everything that is not sent is given to the browser, when there is reason to believe that it
 * arrives.
 */
export const leave = (w: Instance) => {
  wait(w, Infinity)
  if (w.browser.online() && !w.settings.down) handOff(w)
}

/** The page is back: what was under way when it left is done or lost. */
export const enter = (w: Instance) => {
  w.running = undefined
  w.failures = 0
  w.isPaused = false
  w.attempts = []
  w.isScanning = false
}
