import {
  addDays,
  type Asked,
  choose,
  countPersons,
  dayIn,
  groupBy,
  isNamed,
  ofPersons,
  type Seen,
} from './readHistory.js'

type Row = (string | number | boolean | null)[]

const iso = (ms: number) => new Date(ms).toISOString()

export const daily = (all: readonly Seen[], asked: Asked): Row[] => {
  const days = groupBy(choose(all, asked), ({ ms }) => dayIn(asked.zone, ms))
  const known = [...days.keys()].toSorted()
  const first = asked.from === null ? known[0] : dayIn(asked.zone, asked.from)
  const last = asked.until === null ? known.at(-1) : dayIn(asked.zone, asked.until - 1)
  const rows: Row[] = []
  if (first === undefined || last === undefined) return rows
  for (let day = first; day <= last; day = addDays(day, 1)) {
    const events = days.get(day) ?? []
    const sessions = new Set(events.flatMap(({ session }) => session ?? []))
    const views = events.filter(({ event }) => event === '$pageview')
    rows.push([day, countPersons(events), sessions.size, views.length, events.length])
  }
  return rows
}

export const totals = (all: readonly Seen[], asked: Asked): Row[] => {
  const events = choose(all, asked)
  const sessions = new Set(events.flatMap(({ session }) => session ?? []))
  const views = events.filter(({ event }) => event === '$pageview')
  return [[countPersons(events), sessions.size, views.length, events.length]]
}

/** As DuckDB orders texts: by their bytes, and NULL behind them. */
const compareTexts = (a: string | null, b: string | null) =>
  a === null || b === null
    ? Number(a === null) - Number(b === null)
    : Buffer.compare(Buffer.from(a), Buffer.from(b))

export const breakdown = (
  all: readonly Seen[],
  asked: Asked,
  event: string | null,
  property: string,
): Row[] => {
  const events = choose(all, asked).filter((each) => isNamed(each, event))
  const values = groupBy(events, ({ properties }) => JSON.stringify(properties[property] ?? null))
  return [...values]
    .map(([json, list]) => ({ value: JSON.parse(json) as string | null, list }))
    .toSorted((a, b) => b.list.length - a.list.length || compareTexts(a.value, b.value))
    .map(({ value, list }) => [value, countPersons(list), list.length])
}

const touch = (all: readonly Seen[], asked: Asked, isFirst: boolean): Row[] => {
  const rows: Row[] = []
  for (const [person, events] of ofPersons(choose(all, asked))) {
    const inOrder = isFirst ? events : events.toReversed()
    const found =
      inOrder.find(
        ({ referrer, properties: p }) =>
          referrer !== null ||
          ['$utm_source', '$utm_medium', '$utm_campaign'].some((name) => p[name] !== undefined),
      ) ?? inOrder.at(0)!
    const { ms, referrerHost, properties } = found
    rows.push([
      person,
      iso(ms),
      referrerHost,
      properties['$utm_source'] ?? null,
      properties['$utm_medium'] ?? null,
      properties['$utm_campaign'] ?? null,
    ])
  }
  return rows
}
export const firstTouch = (all: readonly Seen[], asked: Asked) => touch(all, asked, true)
export const lastTouch = (all: readonly Seen[], asked: Asked) => touch(all, asked, false)

export const paths = (all: readonly Seen[], asked: Asked, start: string | null, depth: number): Row[] => {
  const counts = new Map<string, number>()
  const views = choose(all, asked).filter(({ event, session }) => event === '$pageview' && session !== null)
  for (const ofSession of groupBy(views, ({ session }) => session!).values()) {
    const trail: string[] = []
    for (const { path } of ofSession) if (path !== null && path !== trail.at(-1)) trail.push(path)
    const begin = start === null ? 0 : trail.indexOf(start)
    if (begin < 0) continue
    for (let step = 0; step < depth && begin + step < trail.length; step++) {
      const key = JSON.stringify([step + 1, trail[begin + step], trail[begin + step + 1] ?? null])
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
  }
  return [...counts].map(([key, sessions]) => [...(JSON.parse(key) as Row), sessions])
}

export type Unit = 'day' | 'week' | 'month'

/** The first day of a period, by counting days one by one. */
const periodOf = (unit: Unit, day: string): string => {
  if (unit === 'month') return `${day.slice(0, 7)}-01`
  let first = day
  while (unit === 'week' && new Date(`${first}T00:00:00Z`).getUTCDay() !== 1) first = addDays(first, -1)
  return first
}
const nextPeriod = (unit: Unit, first: string): string =>
  periodOf(unit, addDays(first, unit === 'day' ? 1 : unit === 'week' ? 7 : 31))

export interface RetentionArguments {
  first: string | null
  back: string | null
  unit: Unit
  everybody: boolean
}

export const retention = (
  all: readonly Seen[],
  asked: Asked,
  { first, back, unit, everybody }: RetentionArguments,
): Row[] => {
  const earlier =
    asked.from === null || everybody ? [] : choose(all, { ...asked, from: null, until: asked.from })
  const familiar = new Set(earlier.filter((each) => isNamed(each, first)).map(({ person }) => person))
  const named = choose(all, asked).filter(
    (each) => each.person !== null && (isNamed(each, first) || isNamed(each, back)),
  )
  const periodAt = (ms: number) => periodOf(unit, dayIn(asked.zone, ms))
  const end = asked.until === null ? named.at(-1)?.ms : asked.until - 1
  const cohorts = new Map<string, { size: number; returned: Map<string, number> }>()
  for (const [person, events] of ofPersons(named)) {
    const at = events.findIndex((each) => isNamed(each, first))
    if (at < 0 || familiar.has(person)) continue
    const cohort = periodAt(events.at(at)!.ms)
    const { size, returned } = cohorts.get(cohort) ?? { size: 0, returned: new Map<string, number>() }
    const periods = events.slice(at + 1).filter((each) => isNamed(each, back))
    for (const period of new Set(periods.map(({ ms }) => periodAt(ms)))) {
      returned.set(period, (returned.get(period) ?? 0) + 1)
    }
    cohorts.set(cohort, { size: size + 1, returned })
  }
  const rows: Row[] = []
  for (const [cohort, { size, returned }] of cohorts) {
    let number = 0
    for (let period = cohort; period <= periodAt(end!); period = nextPeriod(unit, period)) {
      const people = returned.get(period) ?? 0
      rows.push([cohort, size, number++, people, people / size])
    }
  }
  return rows
}

export interface FunnelArguments {
  steps: readonly string[]
  withinMs: number | null
  breakdown: string | null
  /** Whether an event counts for the step at a place, beside its name; by default any does. */
  counts?: (event: Seen, at: number) => boolean
}

const median = (list: readonly number[]): number | null => {
  if (list.length === 0) return null
  const sorted = list.toSorted((a, b) => a - b)
  return (sorted.at((sorted.length - 1) >> 1)! + sorted.at(sorted.length >> 1)!) / 2
}

/** From one start: of every step the earliest event after the one before. */
const chainFrom = (events: readonly Seen[], at: number, question: FunnelArguments): Seen[] => {
  const { steps, withinMs, counts = () => true } = question
  const chain = [events.at(at)!]
  for (const each of events.slice(at + 1)) {
    const next = steps[chain.length]
    if (next === undefined || (withinMs !== null && each.ms - chain.at(0)!.ms > withinMs)) break
    if (isNamed(each, next) && counts(each, chain.length)) chain.push(each)
  }
  return chain
}

/** The chain of each person that counts: the longest, and of equal ones the first. */
const bestChains = (all: readonly Seen[], asked: Asked, question: FunnelArguments): Map<string, Seen[]> => {
  const chains = new Map<string, Seen[]>()
  for (const [person, events] of ofPersons(choose(all, { ...asked, from: null, until: null }))) {
    let best: Seen[] = []
    for (const [at, each] of events.entries()) {
      const isInRange = choose([each], asked).length > 0
      if (!isInRange || !isNamed(each, question.steps.at(0)!) || question.counts?.(each, 0) === false)
        continue
      const chain = chainFrom(events, at, question)
      if (chain.length > best.length) best = chain
    }
    if (best.length > 0) chains.set(person, best)
  }
  return chains
}

export const funnelPeople = (all: readonly Seen[], asked: Asked, question: FunnelArguments): Row[] =>
  [...bestChains(all, asked, question)].map(([person, chain]) => [person, chain.length, chain.at(-1)!.ms])

export const funnel = (all: readonly Seen[], asked: Asked, question: FunnelArguments): Row[] => {
  const { steps, breakdown: property } = question
  const chains = [...bestChains(all, asked, question).values()].map((chain) => ({
    value: property === null ? null : (chain.at(0)!.properties[property] ?? null),
    chain,
  }))
  const values = new Set(chains.map(({ value }) => value))
  if (property === null) values.add(null)
  const rows: Row[] = []
  for (const value of values) {
    const ofValue = chains.filter((each) => each.value === value).map(({ chain }) => chain)
    const counts = steps.map((_, at) => ofValue.filter(({ length }) => length > at).length)
    for (const [at, name] of steps.entries()) {
      const people = counts.at(at)!
      const before = counts[at - 1]
      const took = ofValue.flatMap((chain) =>
        at > 0 && chain[at] ? (chain[at].ms - chain.at(at - 1)!.ms) / 1000 : [],
      )
      rows.push([
        value,
        at + 1,
        name,
        people,
        counts.at(0)! > 0 ? people / counts.at(0)! : null,
        before === undefined || before === 0 ? null : people / before,
        median(took),
      ])
    }
  }
  return rows
}

/** As far as the histories go: see `histories.ts`. */
const channelOf = (first: (name: string) => string | null, isReferred: boolean): string => {
  if (first('click_id') !== null || first('$utm_medium') === 'cpm') return 'paid'
  if (first('$utm_source') === 'mail') return 'mail'
  const isCampaign = first('$utm_source') !== null || first('$utm_campaign') !== null
  return isCampaign || isReferred ? 'referral' : 'direct'
}

const screenClasses: Record<string, string> = { '390x844': 'phone', '1280x720': 'desktop' }

const numberOf = (text: string | undefined): number | null =>
  text === undefined || Number.isNaN(Number(text)) ? null : Number(text)

/** Engaged seconds, and whether it is a bounce. */
const engagement = (events: readonly Seen[], views: number): [number | null, boolean | null] => {
  const told = events.flatMap(({ event, properties }) =>
    event === 'Page Engaged' ? (numberOf(properties['visible_ms']) ?? []) : [],
  )
  const seconds = told.length === 0 ? null : told.reduce((sum, ms) => sum + ms, 0) / 1000
  return [seconds, views === 0 ? null : views === 1 && (seconds === null || seconds < 10)]
}

export const sessions = (all: readonly Seen[]): Row[] => {
  const rows: Row[] = []
  const within = all.filter(({ session }) => session !== null)
  for (const events of groupBy(within, (each) => `${each.environment} ${each.session}`).values()) {
    const { environment, session, ms: start } = events.at(0)!
    const end = events.at(-1)!.ms
    const firstOf = (name: string) =>
      events.find(({ properties }) => properties[name] !== undefined)?.properties[name] ?? null
    const views = events.filter(({ event }) => event === '$pageview')
    const pages = views.filter(({ url }) => url !== null)
    const referral = events.find(({ referrer }) => referrer !== null)
    rows.push([
      environment,
      session,
      events.findLast(({ person }) => person !== null)?.person ?? null,
      events.find(({ device }) => device !== null)?.device ?? null,
      iso(start),
      iso(end),
      (end - start) / 1000,
      pages[0]?.path ?? null,
      pages.at(-1)?.path ?? null,
      views.length,
      events.length,
      ...engagement(events, views.length),
      referral?.referrer ?? null,
      referral?.referrerHost ?? null,
      channelOf(firstOf, referral !== undefined),
      firstOf('$utm_source'),
      firstOf('$utm_medium'),
      firstOf('$utm_campaign'),
      null,
      null,
      firstOf('click_id'),
      firstOf('browser'),
      firstOf('$os'),
      firstOf('$device'),
      null,
      null,
      screenClasses[firstOf('$viewport') ?? ''] ?? null,
      false,
      events.flatMap(({ bot }) => bot ?? []).toSorted()[0] ?? null,
    ])
  }
  return rows
}

export const sessionsOfRange = (all: readonly Seen[], { from, until, environment, bots }: Asked): Row[] =>
  sessions(all).filter((row) => {
    const start = Date.parse(row[4] as string)
    const isInRange = (from === null || start >= from) && (until === null || start < until)
    return row[0] === environment && isInRange && (bots || row.at(-1) === null)
  })

/** Texts that sessions are told apart by, with their place in a row of `sessions`. */
export const sessionTexts: ReadonlyMap<string, number> = new Map([
  ['entry', 7],
  ['exit', 8],
  ['referrer_host', 14],
  ['channel', 15],
  ['utm_source', 16],
  ['browser', 22],
  ['screen_class', 27],
])

const numbers = (rows: readonly Row[], at: number): number[] =>
  rows.flatMap((row) => (row[at] === null ? [] : Number(row[at])))
const mean = (list: readonly number[]): number | null =>
  list.length === 0 ? null : list.reduce((sum, each) => sum + each, 0) / list.length

export const sessionBreakdown = (all: readonly Seen[], asked: Asked, column: string | null): Row[] => {
  const at = column === null ? undefined : sessionTexts.get(column)!
  const values = groupBy(sessionsOfRange(all, asked), (row) =>
    JSON.stringify(at === undefined ? null : row[at]),
  )
  return [...values].map(([value, rows]) => [
    JSON.parse(value) as string | null,
    new Set(rows.flatMap((row) => row[2] ?? [])).size,
    rows.length,
    mean(numbers(rows, 12)),
    mean(numbers(rows, 9)),
    median(numbers(rows, 6)),
    median(numbers(rows, 11)),
  ])
}

const bounds: Record<string, [good: number, poor: number]> = {
  LCP: [2500, 4000],
  INP: [200, 500],
  CLS: [0.1, 0.25],
}

/** The last report of each measurement. */
export const webVitals = (all: readonly Seen[], asked: Asked): Row[] => {
  const last = new Map<string, Row>()
  for (const { seq, ms, event, person, session, path, properties } of choose(all, asked)) {
    const { name: metric, id } = properties
    const value = numberOf(properties['value'])
    if (event !== 'Web Vital' || metric === undefined || value === null) continue
    const [good, poor] = bounds[metric] ?? [Number.NaN, Number.NaN]
    const rating = value <= good ? 'good' : value <= poor ? 'needs improvement' : value > poor ? 'poor' : null
    last.set(`${metric} ${id ?? seq}`, [
      seq,
      iso(ms),
      person,
      session,
      path,
      properties['browser'] ?? null,
      metric,
      value,
      rating,
    ])
  }
  return [...last.values()]
}

export const errors = (all: readonly Seen[]): Row[] =>
  all
    .filter(({ event }) => event === 'Error Caught')
    .map(({ environment, seq, person, path, properties, bot }) => [
      environment,
      seq,
      person,
      path,
      properties['message'] ?? null,
      properties['name'] ?? null,
      bot,
    ])

export const pageViews = (all: readonly Seen[]): Row[] =>
  all
    .filter(({ event }) => event === '$pageview')
    .map((each) => [
      each.environment,
      each.seq,
      iso(each.ms),
      each.person,
      each.session,
      each.device,
      each.url,
      each.host,
      each.path,
      each.properties['$referer'] ?? null,
      each.referrerHost,
      each.properties['$utm_source'] ?? null,
      each.properties['$utm_campaign'] ?? null,
      each.properties['browser'] ?? null,
      each.properties['$os'] ?? null,
      each.bot,
    ])
