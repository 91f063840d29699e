import fc from 'fast-check'
import { eventNames } from './histories.js'
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

type Cell = string | number | null
type Row = Cell[]

/** The session's zone, which has no clocks that change. */
const zone = 'Asia/Tokyo'
const zoneMs = 9 * 3_600_000
const dayMs = 86_400_000
/** When a day begins there. */
const startOf = (day: string) => Date.parse(`${day}T00:00:00Z`) - zoneMs

const bases = ['events', 'people', 'sessions'] as const
const ofNumbers = ['sum', 'average', 'median', 'p75', 'p90'] as const
/** How many days of people, and how many of those that they are divided by. */
const ofDays = { dau: [1], wau: [7], mau: [30], dau_wau: [1, 7], dau_mau: [1, 30] } as const
type Days = keyof typeof ofDays

const named = fc.option(fc.constantFrom('$pageview', ...eventNames, 'Page Engaged', '/cart'), { freq: 2 })
const flag = fc.constantFrom(true, false, false)
const byField = fc.option(fc.constantFrom('prop.a/b~$c', 'browser', 'event', 'person_id'), { freq: 3 })

const anyCounting = fc.record({
  measure: fc.constantFrom(...bases, ...ofNumbers),
  event: named,
  /** Numbers whose sums have no rest that depends on their order. */
  property: fc.constantFrom('visible_ms'),
  per: fc.option(fc.constantFrom(...bases), { freq: 1 }),
  per_event: named,
  currency: fc.option(fc.constantFrom('LCP', 'CLS'), { freq: 1 }),
  currency_property: fc.option(fc.constantFrom('name'), { freq: 1 }),
  by: byField,
  interval: fc.option(fc.constantFrom('day', 'weekday', 'hour_of_day'), { freq: 1 }),
  highest_first: flag,
  rest: flag,
  most: fc.constantFrom(1, 2, 50),
})
type Counting = typeof anyCounting extends fc.Arbitrary<infer T> ? T : never

const isOfNumbers = ({ measure }: Counting) => (ofNumbers as readonly string[]).includes(measure)

/** A question that `explore` takes: what it refuses is left out. */
export const counting: fc.Arbitrary<Counting> = anyCounting.map((each) => {
  const names = isOfNumbers(each) ? each.currency_property : null
  const per = names !== null && each.currency === null ? null : each.per
  return {
    ...each,
    currency_property: names,
    per,
    per_event: per === null ? null : each.per_event,
    highest_first: each.highest_first && each.measure !== 'p90',
  }
})

export const rollingQuestion = fc.record({
  measure: fc.constantFrom(...(Object.keys(ofDays) as Days[])),
  event: named,
  by: byField,
  interval: fc.option(fc.constantFrom('day'), { freq: 1 }),
})
type Rolling = typeof rollingQuestion extends fc.Arbitrary<infer T> ? T : never

const numberOf = ({ properties }: Seen, name: string): number | null => {
  const text = properties[name]
  return text === undefined || Number.isNaN(Number(text)) ? null : Number(text)
}
const fieldOf = (each: Seen, field: string): string | null =>
  field === 'event'
    ? each.event
    : field === 'person_id'
      ? each.person
      : (each.properties[field.replace(/^prop\./, '')] ?? null)

/** Between two numbers that stand there in their order, in proportion. */
const percentile = (numbers: readonly number[], share: number) => {
  const sorted = numbers.toSorted((a, b) => a - b)
  const place = (sorted.length - 1) * share
  const [low, high] = [sorted[Math.floor(place)]!, sorted[Math.ceil(place)]!]
  return low + (high - low) * (place - Math.floor(place))
}
const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, each) => sum + each, 0)

const figureOf = (list: readonly Seen[], measure: Counting['measure'], property: string): number | null => {
  if (measure === 'events') return list.length
  if (measure === 'people') return countPersons(list)
  if (measure === 'sessions') return new Set(list.flatMap(({ session }) => session ?? [])).size
  const numbers = list.map((each) => numberOf(each, property)!)
  if (numbers.length === 0) return null
  if (measure === 'sum') return sumOf(numbers)
  if (measure === 'average') return sumOf(numbers) / numbers.length
  return percentile(numbers, { median: 0.5, p75: 0.75, p90: 0.9 }[measure])
}

const timeOf = (interval: string, { ms }: Seen): Cell => {
  const day = dayIn(zone, ms)
  if (interval === 'day') return new Date(startOf(day)).toISOString()
  if (interval === 'hour_of_day') return new Date(ms + zoneMs).getUTCHours()
  return ((new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7) + 1
}
/** With six decimals: sums may be made in another order. */
const rounded = (figure: number | null) => (figure === null ? null : Number(figure.toFixed(6)))

const compareTexts = (a: string | null, b: string | null) =>
  a === null || b === null
    ? Number(a === null) - Number(b === null)
    : Buffer.compare(Buffer.from(a), Buffer.from(b))

interface Group {
  value: string | null
  currency: string | null
  events: Seen[]
}

/** What `explore` answers of some events, in any order of the rows. */
export const explore = (events: readonly Seen[], asked: Counting): Row[] => {
  const { measure, property, event, per, per_event: other, currency, currency_property: names } = asked
  const currencyOf = (each: Seen) => each.properties[names ?? '']?.toUpperCase() ?? null
  const isOwn = (each: Seen) =>
    isNamed(each, event) &&
    (!isOfNumbers(asked) || numberOf(each, property) !== null) &&
    (names === null || currency === null || currencyOf(each) === currency)
  const isBase = (each: Seen) => per !== null && isNamed(each, other)
  const tell = (list: readonly Seen[]) => {
    const figure = figureOf(list.filter(isOwn), measure, property)
    const base = per === null ? 1 : figureOf(list.filter(isBase), per, property)!
    return figure === null || base === 0 ? null : figure / base
  }
  const rowsIn = (list: readonly Seen[]) => list.filter(isOwn).length
  const counted = events.filter((each) => isOwn(each) || isBase(each))

  const isSplit = names !== null && currency === null
  const { by, interval } = asked
  const hasValue = by !== null || isSplit
  const slices = (list: readonly Seen[]): [Cell[], readonly Seen[]][] =>
    interval === null
      ? [[[], list]]
      : [...groupBy(list, (each) => String(timeOf(interval, each))).values()].map((slice) => [
          [timeOf(interval, slice.at(0)!)],
          slice,
        ])
  if (!hasValue) return slices(counted).map(([time, list]) => [...time, rounded(tell(list))])

  const groups = groupBy(counted, (each) =>
    JSON.stringify([
      by === null ? currencyOf(each) : fieldOf(each, by),
      by !== null && isSplit ? currencyOf(each) : null,
    ]),
  )
  const all: Group[] = [...groups].map(([key, list]) => {
    const [called, ofCurrency] = JSON.parse(key) as [string | null, string | null]
    return { value: called, currency: ofCurrency, events: list }
  })
  const isByFigure =
    asked.highest_first ||
    (per === null && (measure === 'sum' || (interval === null && bases.includes(measure as never))))
  const inOrder = (a: Group, b: Group) => {
    const [one, two] = [tell(a.events) ?? -Infinity, tell(b.events) ?? -Infinity]
    const rows = rowsIn(b.events) - rowsIn(a.events)
    return (isByFigure && one !== two ? two - one : rows) || rows || compareTexts(a.value, b.value)
  }
  const most = interval === null ? asked.most : 6
  const rows: Row[] = []
  for (const ofCurrency of groupBy(all, (each) => String(each.currency)).values()) {
    const sorted = ofCurrency.toSorted(inOrder)
    const isWhole = sorted.length <= most + 1 && asked.rest
    const told = isWhole ? sorted : sorted.slice(0, most)
    const others = isWhole || !asked.rest ? [] : sorted.slice(most)
    const lines = [
      ...told.map((group) => ({ ...group, values: 1 })),
      ...(others.length === 0
        ? []
        : [
            {
              ...others[0]!,
              value: null,
              events: others.flatMap((each) => each.events),
              values: others.length,
            },
          ]),
    ]
    for (const line of lines)
      for (const [time, list] of slices(line.events))
        rows.push([
          ...time,
          ...(interval === null
            ? [line.value, rounded(tell(list)), rowsIn(list)]
            : [rounded(tell(list)), line.value]),
          ...(asked.rest ? [line.values] : []),
          ...(by !== null && isSplit ? [line.currency] : []),
        ])
  }
  return rows
}

/** The question that has also the days before the time that are needed. */
export const withEarlier = (asked: Asked, { measure }: Rolling): Asked => ({
  ...asked,
  from:
    asked.from === null
      ? null
      : startOf(dayIn(zone, asked.from)) - (Math.max(...ofDays[measure]) - 1) * dayMs,
})

/** How many people did something in the days that end with each day, by looking at all of them for each day. */
export const rolling = (events: readonly Seen[], asked: Asked, asking: Rolling): Row[] => {
  const { measure, event, by, interval } = asking
  const [short, long] = ofDays[measure] as readonly [number, number?]
  const known = events.filter((each) => each.person !== null && isNamed(each, event))
  const days = known.map(({ ms }) => dayIn(zone, ms)).toSorted()
  const [earliest, latest] = [days[0], days.at(-1)]
  if (earliest === undefined || latest === undefined) return by === null && interval === null ? [[null]] : []
  const since = asked.from === null ? earliest : dayIn(zone, asked.from)
  const first = since > earliest ? since : earliest
  const last = asked.until === null ? latest : dayIn(zone, asked.until - 1)

  const lines: { people: number; value: string | null; rows: Row[] }[] = []
  const groups = by === null ? new Map([['', known]]) : groupBy(known, (each) => String(fieldOf(each, by)))
  for (const list of groups.values()) {
    const personsOf = (day: string, count: number) =>
      ofPersons(
        choose(list, { ...asked, from: startOf(day) - (count - 1) * dayMs, until: startOf(day) + dayMs }),
      ).size
    const figures: { day: string; figure: number | null; people: number }[] = []
    for (let day = first; day <= last; day = addDays(day, 1)) {
      const [over, all] = [personsOf(day, short), long === undefined ? 1 : personsOf(day, long)]
      figures.push({ day, figure: all === 0 ? null : over / all, people: personsOf(day, 1) })
    }
    const value = by === null ? null : fieldOf(list.at(0)!, by)
    const people = sumOf(figures.map((each) => each.people))
    if (by !== null && people === 0) continue
    const told = figures.flatMap(({ figure }) => figure ?? [])
    const mean = told.length === 0 ? null : sumOf(told) / told.length
    lines.push({
      people,
      value,
      rows:
        interval === null
          ? [by === null ? [rounded(mean)] : [value, rounded(mean), people]]
          : figures.map(({ day, figure }) => [
              new Date(startOf(day)).toISOString(),
              rounded(figure),
              ...(by === null ? [] : [value]),
            ]),
    })
  }
  return lines
    .toSorted((a, b) => b.people - a.people || compareTexts(a.value, b.value))
    .slice(0, interval === null ? 50 : 6)
    .flatMap(({ rows }) => rows)
}
