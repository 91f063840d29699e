import type { Ask } from '../../data/asks'
import { browserTimeZone, type Json } from '../../data/query'
import { nameMoments } from '../../parts/format'
import type { Scope } from '../../address/scope'
import { readFunnel, stepsAsked } from '../funnel/funnelSearch'
import { readRetention, retentionAsked } from '../retention/retentionSearch'

/** The people whom one figure of another page counts, as the address of People names them. */
export interface Figure {
  title: string
  /** The parameter `of` of the answer `people`. */
  of: Ask
}

const readPart = (search: URLSearchParams) => {
  const [from = '', until = ''] = (search.get('at') ?? '').split('/')
  return Number.isNaN(Date.parse(from)) || Number.isNaN(Date.parse(until)) ? undefined : { from, until }
}

const isDay = (text: string | null): text is string => /^\d{4}-\d\d-\d\d$/.test(text ?? '')

/** What the address says beside what all pages have; undefined where it names no figure. */
export function readFigure(search: URLSearchParams, scope: Scope): Figure | undefined {
  const kind = search.get('of')
  if (kind === 'series' || kind === 'explore') {
    const at = readPart(search)
    const event = search.get('event')
    if (!at) return undefined
    return {
      title: [event ? `did ${event}` : 'were here', nameMoments(at)].join(', '),
      of: { name: kind, at, ...(kind === 'explore' && event ? { event } : {}) },
    }
  }
  if (kind === 'retention') {
    const cohort = search.get('cohort')
    const period = search.get('period')
    const question = readRetention(search)
    if (!isDay(cohort)) return undefined
    const back = period === null ? '' : `, and came back ${question.unit} ${period}`
    return {
      title: `began in the ${question.unit} of ${cohort}${back}`,
      of: {
        ...{ name: 'retention', cohort, period: period === null ? null : Number(period) },
        ...{ ...retentionAsked(question, scope), timezone: browserTimeZone },
      },
    }
  }
  if (kind === 'flows') {
    const [start, path] = [search.get('start'), search.get('path')]
    const place = Number(search.get('place') ?? NaN)
    if (!Number.isInteger(place) || place < 0) return undefined
    const where = path === null ? 'ended the session before' : `saw ${path} at`
    return {
      title: `${where} step ${place} from ${start ?? 'where a session began'}`,
      of: { name: kind, start, place, path },
    }
  }
  if (kind !== 'funnel') return undefined
  const { people, steps, conditions, within, by } = readFunnel(search)
  if (!people) return undefined
  const value: Json = search.get('value')
  const names = steps.filter(Boolean)
  const went = people.kind === 'reached' ? '' : `, but not ${names[people.step] ?? ''}`
  return {
    title: `did ${names[people.step - 1] ?? ''}${went}${by === undefined ? '' : `; ${by}: ${value ?? '(none)'}`}`,
    of: {
      ...{ name: 'funnel', step: people.step, dropped: people.kind === 'dropped' },
      ...stepsAsked({ ...scope, steps: names, conditions: conditions.filter((_, at) => steps[at]), within }),
      ...(by === undefined ? {} : { breakdown: by, value }),
    },
  }
}
