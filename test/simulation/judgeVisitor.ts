import { defaults } from '../../src/core/config'
import { numberOf } from './createNetwork'
import type { Fault } from './drawPlan'
import type { Facts } from './livePlan'

/** By then every open page has heard of a choice, and what it began before is done. */
const heardWithinMs = 5000

const diskFaults = ['noDisk', 'slowDisk', 'failingDisk', 'fullDisk', 'disconnect'] as const

/** Nothing leaves the page, or stays in it, that the visitor has not agreed to. */
function judgeConsent({ plan, choices, pages, requests, calls, databases, rows, notes, lastConsent }: Facts) {
  const wrong: string[] = []
  const isIn = (...faults: Fault[]) => faults.some((fault) => plan.faults.includes(fault))
  const withIds = requests.filter(({ kind, payloads }) => kind !== 'anonymous' && payloads[0])
  for (const { kind, payloads } of requests)
    if (
      kind === 'anonymous' &&
      /distinct_id|anonymous_id|device_id|session_id/.test(JSON.stringify(payloads))
    )
      wrong.push('an event without consent has ids')

  const isAgreed =
    (plan.config.consent ?? 'granted') === 'granted' || choices.some(({ state }) => state === 'granted')
  if (!isAgreed) {
    if (withIds[0]) wrong.push('something was sent, and nobody has agreed')
    if (rows.some(([key]) => key !== 'consent') || /ids|session|persistent/.test(notes.join()))
      wrong.push('something was stored, and nobody has agreed')
    if (databases[0] && !choices.some(({ state }) => state === 'denied'))
      wrong.push('a database was made, and nobody has agreed')
  }

  const isHeardOf = !isIn('noChannel', 'sleep', 'freeze', 'cache', ...diskFaults)
  for (const { at, state, page } of choices) {
    if (!/denied|anonymous/.test(state)) continue
    const isOver = (by: number) =>
      choices.some((other) => other.state === 'granted' && other.at >= at && other.at <= by)
    for (const request of withIds) {
      // That nobody is recognised is a choice for one page.
      const isToAll = state === 'denied' && isHeardOf
      const isHeard =
        request.page === page ? request.begunAt > at : isToAll && request.begunAt > at + heardWithinMs
      // Without localStorage a page that goes before it has read the visitor cannot know of it (docs/privacy.md).
      const isUnread = request.isHandOff && request.begunAt <= request.page.readyAt
      if (!isHeard || (isIn('noNotes') && request.page !== page && isUnread)) continue
      if (!isOver(request.begunAt)) wrong.push('something was sent after a refusal')
      const isOld = request.payloads.some((payload) => {
        const call = calls.find(({ n }) => n === numberOf(payload))
        // What waits without ids goes along with a later consent, by option.
        const mayJoin = plan.config.anonymous?.join && call?.consent !== 'granted'
        return call && call.at < at && !mayJoin
      })
      if (isOld) wrong.push('what was called before a refusal was sent after it')
    }
  }

  const last = choices.at(-1)
  const before = choices.at(-2)
  if (
    last &&
    /granted|denied/.test(last.state) &&
    !(before && before.page !== last.page && before.at > last.at - heardWithinMs) &&
    !isIn('noNotes', 'crash', ...diskFaults) &&
    !last.page.sleeps[0] &&
    lastConsent !== last.state
  )
    wrong.push(`the last choice is ${last.state}, and a page takes it for ${lastConsent}`)
  if (lastConsent === 'granted' && pages.at(-1)!.waymark.stats().queued)
    wrong.push('something waits in the end')
  return wrong
}

/** Whose an event is, what it carries, and in which session it lies. */
function judgeIds({ plan, calls, acts, requests, pages, choices }: Facts) {
  const wrong: string[] = []
  const isIn = (...faults: Fault[]) => faults.some((fault) => plan.faults.includes(fault))
  const payloads = new Map(
    requests.flatMap((request) => request.payloads.map((payload) => [numberOf(payload), payload] as const)),
  )
  const isSound = !isIn('crash', 'consent', 'anonymous', 'sleep', 'noNotes', ...diskFaults) && !choices[0]
  const known = calls.filter(({ at, page }) => page.readyAt <= at)

  if (isSound) {
    const devices = new Set(known.map(({ n }) => payloads.get(n)?.device_id).filter(Boolean))
    if (devices.size > 1) wrong.push('one browser has two device ids')
  }
  if (isSound && !isIn('tabs', 'clock')) {
    // One page at a time: what was called last holds, in the order of the calls.
    let user: string | undefined
    let registered: number | undefined
    for (const { after, call } of acts) {
      const { what, page, at } = calls[after] ?? {}
      if (call === 'reset') user = registered = undefined
      if (call === 'register') registered = after + 1
      if (call === 'unregister') registered = undefined
      if (call === 'identify' && what?.call === 'identify') {
        if (user && user !== what.user) registered = undefined
        user = what.user
      }
      const payload = payloads.get(after + 1)
      if (
        call !== 'track' ||
        !payload ||
        pages.some((one) => one.readyAt === Infinity && one !== pages.at(-1))
      )
        continue
      if (page!.readyAt > at!) continue
      if (user ? payload.distinct_id !== user : !payload.distinct_id?.startsWith('anonymous-'))
        wrong.push(`call ${after + 1} is of ${payload.distinct_id}, not of ${user}`)
      if (payload.properties!['registered'] !== registered)
        wrong.push(`call ${after + 1} has ${String(payload.properties!['registered'])}, not ${registered}`)
    }
  }

  const sessions = new Map<string, { at: number; of: string }[]>()
  for (const { session_id: id, timestamp, anonymous_id: of, distinct_id: or } of payloads.values())
    if (id) sessions.set(id, [...(sessions.get(id) ?? []), { at: Date.parse(timestamp!), of: of ?? or! }])
  for (const events of sessions.values()) {
    if (new Set(events.map(({ of }) => of)).size > 1) wrong.push('one session has two visitors')
    const times = events.map(({ at }) => at).toSorted((a, b) => a - b)
    const isLong = times.some((at, n) => at - times[Math.max(0, n - 1)]! >= defaults.session.idleMs)
    if (isLong && !isIn('clock')) wrong.push('a session goes on after half an hour')
  }
  return wrong
}

/** A page asks for little, and for nothing when it has nothing to do. */
function judgeCost({ requests, pages, timers, lastConsent }: Facts) {
  const wrong: string[] = []
  for (const page of pages) {
    const times = requests.filter((request) => request.page === page).map(({ begunAt }) => begunAt)
    if (times.some((at, n) => at - (times[n - 100] ?? -Infinity) < 60_000))
      wrong.push('a hundred requests in a minute')
  }
  if (timers && lastConsent === 'granted') wrong.push(`a page that has nothing to do has ${timers} timers`)
  return wrong
}

/** Rules that have no exceptions: each holds in the lives that meet no fault which it leaves out. */
export const judgeVisitor = (facts: Facts) => [
  ...judgeConsent(facts),
  ...judgeIds(facts),
  ...judgeCost(facts),
]
