import { numberOf, type Request } from './createNetwork'
import { judgeVisitor } from './judgeVisitor'
import type { Call, Facts, Page } from './livePlan'

/** What is on the disk some milliseconds after a call. */
const storedWithinMs = 20

/** A page that is back leaves its database alone for so long. */
const openAfterReturnMs = 300

const isAmiss = ({ troubles, plan }: Facts, from: number, to: number) =>
  plan.faults.includes('noDisk') || troubles.some((one) => one.from <= to && one.to >= from)

/** From when a call is on the disk, if nothing is wrong with that. */
const storedAt = ({ at, page }: Call) =>
  Math.max(at, page.readyAt, page.backAt <= at ? page.backAt + openAfterReturnMs : 0) + storedWithinMs

/** When a page that was killed ran for the last time: it may have slept by then. */
const stoppedAt = ({ sleeps, backAt, goneAt }: Page) => sleeps.findLast((at) => at >= backAt) ?? goneAt

/** Whether one of the times when the page went after the call was in an outage, or after one that it knew of. */
const isDown = ({ page, at }: Call) => page.leaves.some((one) => one.at >= at && one.isDown)

const leavesBetween = (
  page: Page,
  from: number,
  to = Infinity,
  is: (one: Page['leaves'][0]) => boolean = Boolean,
) => page.leaves.some((one) => one.at >= from && one.at <= to && is(one))

interface Case {
  facts: Facts
  call: Call
  /** The requests that carried it. */
  carriers: Request[]
}

/** The rows of docs/delivery.md, each with when it holds; those that no simulated page meets have none. */
export const lost: Record<string, ((one: Case) => boolean) | undefined> = {
  'The browser is killed, or stops a page for good, within some 5–20 ms of the call.': ({ call }) =>
    call.page.isKilled && stoppedAt(call.page) <= storedAt(call),
  'Firefox closes the tab within some milliseconds of the call, in an outage.': undefined,
  'The browser loses its whole IndexedDB (Chromium did in 2 of 790 kills).': undefined,
  'The service fails, and the page goes before a request with events has failed, or closes itself during one.':
    ({ call, carriers }) =>
      carriers.some(
        (one) =>
          one.takenAt === undefined &&
          !one.isWarned &&
          one.isKeepalive &&
          leavesBetween(call.page, one.begunAt, one.endedAt),
      ),
  'A tab is closed on a busy machine, in Chromium, where another script has replaced `fetch`, or with `transport: { beacon: true }`.':
    undefined,
  'The visitor leaves while consent is `pending`, without a choice.': ({ facts, call }) =>
    facts.choices.some(
      ({ at, state }) =>
        /pending|dismissed/.test(state) &&
        at >= call.at &&
        (at <= storedAt(call) || isAmiss(facts, call.at, at)),
    ) ||
    // One that is given as the page goes holds from the next page on.
    (/pending|granted/.test(call.consent) &&
      facts.choices.some(
        ({ page, isGoing, state }) => page === call.page && isGoing && state === 'granted',
      )) ||
    (call.consent === 'pending' &&
      !facts.choices.some(
        ({ at, page, state }) => page === call.page && at >= call.at && state === 'granted',
      )),
  'Without IndexedDB (some private windows), or before it has answered, the network is down or more than 60 KiB wait as the page goes.':
    ({ facts, call }) => {
      const { page } = call
      const isInMemory =
        isAmiss(facts, call.at - 30_000, page.goneAt) || leavesBetween(page, call.at, storedAt(call))
      const waiting = facts.calls
        .filter((other) => other.page === page)
        .map(({ what }) => ('size' in what && what.size) || 300)
      const bytes = waiting.reduce((sum, size) => sum + size, 0)
      return isInMemory && (bytes > 55_000 || isDown(call))
    },
  'A limit of `queue`: 10,000 events, 5 MiB, 14 days; or the disk is full.': ({ facts, call }) =>
    /^(too-|no-space)/.test(facts.drops.get(call.n) ?? ''),
  'The service refuses a payload for good.': ({ facts, call }) => facts.drops.get(call.n) === 'quarantined',
  'API key or environment is corrected in the page.': undefined,
  'WebKit, in an outage or offline, as the page goes.': ({ facts, call }) =>
    facts.plan.engine === 'webkit' && call.when !== 'usual',
  'The browser is killed within 30 seconds after its database has failed.': ({ facts, call }) =>
    call.page.isKilled && isAmiss(facts, call.at - 31_000, call.page.goneAt),
  "A sign-in or sign-out in a page's last task, without localStorage.": undefined,
  'Counted without consent': ({ facts, call }) =>
    call.consent === 'anonymous' &&
    (call.page.isKilled ||
      isDown(call) ||
      leavesBetween(call.page, call.at, storedAt(call)) ||
      !facts.requests.some((one) => one.page === call.page && one.kind === 'anonymous' && one.isAccepted)),
}

/** The page slept while the request was under way. */
const hasSlept = ({ page, begunAt, endedAt = Infinity }: Request) =>
  page.sleeps.some((at) => at >= begunAt && at <= endedAt)

export const twice: Record<string, ((one: Case & { first: Request }) => boolean) | undefined> = {
  'A request never answers, the page is killed between answer and acknowledgement, or one of more than 60 KiB, or any in an outage or right after it, is under way as the page leaves.':
    ({ facts, call, first }) => {
      const isHandedOff =
        first.isKeepalive &&
        leavesBetween(first.page, first.begunAt, first.endedAt, ({ isWarned }) => !isWarned)
      if (isHandedOff && !first.mayBeWarned) return isAmiss(facts, call.at, first.page.goneAt)
      if (hasSlept(first)) return false
      return (
        !first.isAccepted ||
        first.page.goneAt <= first.heardAt! + storedWithinMs ||
        isAmiss(facts, first.heardAt! - 30_000, first.page.goneAt)
      )
    },
  'Behind a service worker, without `fetchLater`, or of a request that is under way as the page leaves.': ({
    facts,
    first,
  }) =>
    facts.plan.faults.includes('worker') &&
    (facts.plan.engine !== 'chromium' ||
      (!first.isHandOff && leavesBetween(first.page, first.begunAt, first.endedAt))),
  'Firefox, one tab close in a hundred.': undefined,
  "`delivery: 'at-least-once'`.": ({ facts }) => facts.plan.faults.includes('atLeastOnce'),
  'A page was put away while it wrote an event to disk, and learns of that more than 300 ms after its return.':
    ({ facts, call }) =>
      call.page.leaves.some(
        ({ at }) => at >= call.at && (at <= storedAt(call) || isAmiss(facts, call.at, at)),
      ),
  'A page that was frozen wakes after another has claimed its queue.': ({ carriers }) =>
    carriers.some(hasSlept),
}

const why = <T>(table: Record<string, ((one: T) => boolean) | undefined>, one: T) =>
  Object.entries(table).find(([, holds]) => holds?.(one))?.[0]

/** What is wrong with a life; counts what was excused. */
export function judge(facts: Facts, excused: Map<string, number>): string[] {
  const { calls, requests } = facts
  const wrong = [...facts.problems]
  const excuse = (name: string) => excused.set(name, (excused.get(name) ?? 0) + 1)

  const carriers = new Map<number, Request[]>()
  for (const request of requests)
    for (const payload of request.payloads) {
      const n = numberOf(payload)
      if (!calls.some((call) => call.n === n))
        wrong.push(`something arrived that nobody called: ${JSON.stringify(payload)}`)
      carriers.set(n, [...(carriers.get(n) ?? []), request])
    }

  for (const call of calls) {
    const own = carriers.get(call.n) ?? []
    const taken = own.filter(({ takenAt }) => takenAt !== undefined)
    const name = `call ${call.n} (${call.what.call}, page ${call.page.number}, ${call.when})`
    const { outcome } = call
    const reason = outcome?.status === 'dropped' ? outcome.reason : undefined
    const one = { facts, call, carriers: own }
    const isUnwanted =
      reason === 'no-consent' ||
      facts.choices.some(({ at, state }) => at >= call.at && /denied|anonymous/.test(state)) ||
      call.consent === 'denied' ||
      // Another page may not have heard of it.
      facts.choices.findLast(({ at }) => at <= call.at)?.state === 'denied' ||
      (facts.lastConsent !== 'granted' &&
        facts.rows.some(([, text]) => String(text).includes(`"n":${call.n},`))) ||
      (call.consent !== 'granted' && call.what.call !== 'track')
    if (!taken[0] && reason !== 'invalid' && !isUnwanted) {
      const found = why(lost, one)
      if (found) excuse(found)
      else wrong.push(`${name} is lost, told as ${JSON.stringify(outcome)}`)
    }
    for (const [at, first] of taken.slice(0, -1).entries()) {
      const found = why(twice, { ...one, first })
      if (found) excuse(found)
      else
        wrong.push(
          `${name} arrived twice, by pages ${taken
            .slice(at, at + 2)
            .map(({ page }) => page.number)
            .join()}`,
        )
    }
    if (outcome?.status === 'accepted' && !own.some(({ isAccepted }) => isAccepted))
      wrong.push(`${name} was told as accepted, and was not`)
    if (outcome?.status === 'handed-off' && !own[0]) wrong.push(`${name} was told as handed off, and was not`)
    if (reason === 'invalid' && (outcome as { errorCode?: string }).errorCode !== 'not-identified')
      wrong.push(`${name} was refused: ${JSON.stringify(outcome)}`)
  }

  for (const { errors, number } of facts.pages)
    for (const { code, message } of errors)
      if (code === 'internal') wrong.push(`page ${number} had an error: ${message}`)
  const left = facts.rows.filter(([key]) => Array.isArray(key))
  if (left[0] && facts.lastConsent === 'granted') wrong.push(`${left.length} event records are left`)
  return [...wrong, ...judgeVisitor(facts)]
}
