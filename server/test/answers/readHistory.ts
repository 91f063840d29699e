import { type IdentityOperation, keyOf, resolveIdentity } from '../../src/analytics/resolveIdentity.js'
import type { Step, Track } from './histories.js'

/** An event as an analyst sees it, read from a history by plain loops. */
export interface Seen {
  seq: number
  ms: number
  environment: string
  event: string
  person: string | null
  session: string | null
  device: string | null
  properties: Record<string, string>
  url: string | null
  host: string | null
  path: string | null
  /** The address of a page of another site. */
  referrer: string | null
  referrerHost: string | null
  bot: string | null
  /** Traits of its person, as the service has them. */
  traits: Record<string, string>
  /** When the person was first seen. */
  firstSeen: number
}

const partsOf = (url: string | null): { host: string | null; path: string | null } => {
  const at = url === null ? -1 : url.indexOf('://')
  if (url === null || at < 1) return { host: null, path: null }
  const rest = url.slice(at + 3)
  const ends = [...rest].findIndex((sign) => '/?#'.includes(sign))
  const authority = ends < 0 ? rest : rest.slice(0, ends)
  const path = ends < 0 ? '' : rest.slice(ends).split(/[?#]/, 1).at(0)!
  return { host: authority.split('@').at(-1)! || null, path: path || null }
}

const operationsOf = (steps: readonly Step[]): IdentityOperation[] =>
  steps.flatMap((step): IdentityOperation[] => {
    const { environment } = step.payload
    if (step.kind === 'alias') {
      const { distinct_id: from, new_user_id: into } = step.payload
      return [{ kind: 'alias', environment, from, into }]
    }
    const { distinct_id: user, anonymous_id: anonymous } = step.payload
    if (user !== undefined && anonymous !== undefined && user !== anonymous) {
      return [{ kind: 'link', environment, user, anonymous }]
    }
    return step.kind === 'identify' ? [{ kind: 'user', environment, user: user! }] : []
  })

const utm = ['source', 'medium', 'campaign', 'term', 'content'].map((name) => `utm_${name}`)

/** What an event says, and what the service reads out of it besides. */
const withAdded = (sent: Record<string, string | undefined>): Record<string, string> => {
  const agent = sent['$user_agent'] ?? ''
  const isChrome = agent.includes('Chrome')
  const isFirefox = agent.includes('Firefox')
  const query = new URLSearchParams(/\?([^#]*)/.exec(sent['$url'] ?? '')?.[1])
  const isNamed = utm.some((name) => sent[`$${name}`] !== undefined)
  const all: Record<string, string | null | undefined> = {
    ...Object.fromEntries(utm.map((name) => [`$${name}`, isNamed ? null : query.get(name)])),
    ...(isChrome && { browser: 'Chrome', $os: 'Linux', $device: 'desktop' }),
    ...(isFirefox && { browser: 'Firefox', $os: 'macOS', $device: 'desktop' }),
    click_id: query.has('gclid') ? 'gclid' : null,
    ...Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined)),
  }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => typeof value === 'string')) as Record<
    string,
    string
  >
}

/** The events of a history with their persons of the end, in the order of time, then of acceptance. */
export const readHistory = (steps: readonly Step[], bots: ReadonlyMap<number, string>): Seen[] => {
  const persons = new Map(
    resolveIdentity(operationsOf(steps), []).map((row) => [
      keyOf(row.environment, row.distinctId),
      row.personId,
    ]),
  )
  const seen: Seen[] = []
  for (const [at, step] of steps.entries()) {
    if (step.kind !== 'track') continue
    const { environment, event, timestamp, properties, ...ids }: Track = step.payload
    const id = ids.distinct_id ?? ids.anonymous_id
    const url = properties['$url'] ?? null
    const { host, path } = partsOf(url)
    const sent = properties['$referer'] ?? null
    const { host: from } = partsOf(sent)
    const isOwn = sent === null || from === host
    seen.push({
      seq: at + 1,
      ms: timestamp,
      environment,
      event,
      person: id === undefined ? null : (persons.get(keyOf(environment, id)) ?? id),
      session: ids.session_id ?? null,
      device: ids.device_id ?? null,
      properties: withAdded({ ...properties, $event: event, $path: path ?? undefined }),
      url,
      host,
      path,
      referrer: isOwn ? null : sent,
      referrerHost: isOwn ? null : from,
      bot: bots.get(at + 1) ?? null,
      traits: {},
      firstSeen: Number.NaN,
    })
  }
  return seen.toSorted((a, b) => a.ms - b.ms || a.seq - b.seq)
}

export interface Asked {
  from: number | null
  until: number | null
  environment: string
  bots: boolean
  zone: string
}

/** Those that a question is about. */
export const choose = (seen: readonly Seen[], { from, until, environment, bots }: Asked): Seen[] =>
  seen.filter(
    (each) =>
      each.environment === environment &&
      (bots || each.bot === null) &&
      (from === null || each.ms >= from) &&
      (until === null || each.ms < until),
  )

const formats = new Map<string, Intl.DateTimeFormat>()

/** The date on a calendar there, as in 2026-03-29. */
export const dayIn = (zone: string, ms: number): string => {
  const format =
    formats.get(zone) ??
    new Intl.DateTimeFormat('en-CA', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' })
  formats.set(zone, format)
  return format.format(ms)
}

export const addDays = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10)

export const isNamed = (each: Seen, name: string | null): boolean =>
  name === null ||
  (name.startsWith('/') ? each.event === '$pageview' && each.path === name : each.event === name)

export const groupBy = <T>(list: readonly T[], keyOfOne: (one: T) => string): Map<string, T[]> => {
  const groups = new Map<string, T[]>()
  for (const one of list) {
    const key = keyOfOne(one)
    const group = groups.get(key)
    if (group) group.push(one)
    else groups.set(key, [one])
  }
  return groups
}

export const ofPersons = (list: readonly Seen[]) =>
  groupBy(
    list.filter(({ person }) => person !== null),
    ({ person }) => person!,
  )

export const countPersons = (list: readonly Seen[]): number => ofPersons(list).size
