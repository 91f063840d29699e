import { botEvents } from '../data/bots'
import { eventChoices, pathChoices, valueChoices } from '../data/choices'
import type { Asking } from '../data/conditions'
import { readFilters } from '../data/filters'
import { newReleases } from '../data/releases'
import type { Sql } from '../data/sql'
import { byTime as errorsByTime, byValue as errorsByValue, errors, places } from '../pages/errors/statements'
import { readQuestion } from '../pages/explore/exploreSearch'
import { explore } from '../pages/explore/statements'
import { readFunnel } from '../pages/funnel/funnelSearch'
import { funnel } from '../pages/funnel/statements'
import { few, groups, many } from '../pages/overview/dimensions'
import { crawledPages, crawlers } from '../pages/overview/crawlers'
import { goalTotals } from '../pages/overview/goal'
import { ranking, series, totals } from '../pages/overview/statements'
import { readPaths } from '../pages/paths/pathsSearch'
import { paths } from '../pages/paths/statements'
import { readRetention, retention } from '../pages/retention/statements'
import { vitals } from '../pages/vitals/metrics'
import { byPage, byTime as vitalsByTime, overall } from '../pages/vitals/statements'
import type { TimeRange, Unit } from '../shell/timeRange'
import { findRefusal, guestFields, type Link } from './guestAddress'

export { findRefusal }

/** A guest's question: where the guest is, and the time that the page shows. */
export interface Asked {
  path: string
  search: string
  from: string
  until: string
  before: { from: string; until: string } | null
  unit: Unit
  time_zone: string
}

type Statements = (
  asking: Asking & { range: TimeRange; anonymous: boolean },
  search: URLSearchParams,
) => (Sql | undefined)[]

/** All that a page asks, whichever of its tabs is chosen. Lists of people and single events are not among it. */
const statementsOf: Readonly<Record<string, Statements>> = {
  '/app/': (asking, search) => {
    const asked = search.get('goal')
    const dimensions = groups.flatMap((group) => group.dimensions)
    // A goal that is not saved any more is left out by the page.
    const lists = [undefined, ...(asked ? [asked] : [])].flatMap((goal) =>
      [few, many].flatMap((limit) =>
        dimensions.map((dimension) => ranking(asking, dimension, { limit, goal })),
      ),
    )
    const goals = asked ? [goalTotals(asking, asked)] : []
    const crawler = search.get('crawler')
    const read = [crawlers(asking), ...(crawler === null ? [] : [crawledPages(asking, crawler)])]
    return [totals(asking), series(asking), ...goals, ...lists, ...read]
  },
  '/app/explore': (asking, search) => {
    const question = readQuestion(search, asking.range)
    return [true, false].map((isHighestFirst) => explore(asking, { ...question, isHighestFirst }))
  },
  '/app/funnel': (asking, search) => {
    const { steps, within, by } = readFunnel(search)
    const asked = { ...asking, steps: steps.filter(Boolean), within }
    return [funnel(asked), ...(by === undefined ? [] : [funnel(asked, by)])]
  },
  '/app/retention': (asking, search) => [retention({ ...asking, ...readRetention(search) })],
  '/app/paths': (asking, search) => [paths(asking, readPaths(search))],
  '/app/vitals': (asking) => [
    overall(asking),
    ...vitals.flatMap((vital) => [vitalsByTime(asking, vital), byPage(asking, vital)]),
  ],
  '/app/errors': (asking) => [
    errors(asking),
    errorsByTime(asking),
    ...places.map((place) => errorsByValue(asking, place)),
  ],
}

const units: readonly string[] = ['hour', 'day', 'week', 'month'] satisfies Unit[]
const hourMs = 3_600_000
/** Every time zone is so many minutes, or a multiple, from UTC: no question tells a time more precisely. */
const stepMs = hourMs / 4
/** The day on which clocks change may have so few. */
const leastHours = 23

/** Undefined for a time that no page shows. */
function readRange({ from, until, before, unit }: Asked): TimeRange | undefined {
  const period = (of: { from: string; until: string }) => ({
    from: new Date(of.from),
    until: new Date(of.until),
  })
  const isWhole = (moment: Date) => moment.getTime() % stepMs === 0
  const range = period({ from, until })
  const earlier = before ? period(before) : undefined
  const moments = [range, ...(earlier ? [earlier] : [])].flatMap((each) => [each.from, each.until])
  const length = range.until.getTime() - range.from.getTime()
  if (!moments.every(isWhole) || length < leastHours * hourMs || !units.includes(unit)) return undefined
  return { ...range, name: '', title: '', unit, units: [unit], before: earlier }
}

/**
 * The statements that a guest of a link may have run: those that the page asks at the address, in the time that the
 * guest chose. The address is the link's own unless the link shows all pages, and the environment always is.
 */
export function guestStatements(link: Link, asked: Asked): string[] {
  const isOfGuest = link.path === null
  const { path, search } = isOfGuest ? asked : { path: link.path ?? '', search: link.search }
  const range = readRange(asked)
  const list = statementsOf[path]
  if (!range || !list || findRefusal({ path, search }, isOfGuest)) return []
  const address = new URLSearchParams(search)
  const asking = {
    environment: new URLSearchParams(link.search).get('env') ?? '',
    bots: address.get('bots') === '1',
    anonymous: address.get('anonymous') === '1',
    timeZone: asked.time_zone,
    range,
    filters: readFilters(address),
  }
  const choices = isOfGuest
    ? [eventChoices(asking), pathChoices(asking), ...guestFields.map((field) => valueChoices(asking, field))]
    : []
  return [newReleases(asking), botEvents(asking), ...choices, ...list(asking, address)].flatMap((each) =>
    each ? [each.text] : [],
  )
}
