import type { Period } from '../data/asks'
import type { Unit } from '../address/timeRange'

const whole = new Intl.NumberFormat('en')
const mean = new Intl.NumberFormat('en', { maximumFractionDigits: 2 })
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 })

/** `12,345`. */
export const formatCount = (count: number): string => whole.format(count)

/** `2.35`, of an average. */
export const formatMean = (average: number): string => mean.format(average)

/** `12.3K`, for where there is little room. */
export const formatCompact = (count: number): string => compact.format(count)

/** `12.3%`, of a share from 0 to 1. */
export const formatShare = (share: number): string => percent.format(share)

/** `+12.3%`, `−5%`; undefined where there was nothing before. */
export function formatChange(now: number, before: number): string | undefined {
  if (before === 0) return undefined
  const change = (now - before) / before
  return `${change > 0 ? '+' : change < 0 ? '−' : '±'}${percent.format(Math.abs(change))}`
}

/** `€12.50` and `€500`, in a currency by its code; of what is none, the figure and the text. */
export function formatMoney(amount: number, currency: string): string {
  try {
    return new Intl.NumberFormat('en', {
      style: 'currency',
      currency,
      trailingZeroDisplay: 'stripIfInteger',
    }).format(amount)
  } catch {
    return `${formatMean(amount)} ${currency}`
  }
}

/** `48 s`, `3 min 20 s`, `2 h 5 min`, `3 d 4 h`: the two greatest units. */
export function formatDuration(seconds: number): string {
  const rounded = Math.round(seconds)
  const units = [
    [86_400, 'd'],
    [3600, 'h'],
    [60, 'min'],
    [1, 's'],
  ] as const
  const at = units.findIndex(([size]) => rounded >= size)
  if (at === -1) return '0 s'
  const [size, name] = units[at] ?? [1, 's']
  const [next, nextName] = units[at + 1] ?? [0, '']
  const rest = next ? Math.floor((rounded % size) / next) : 0
  return `${Math.floor(rounded / size)} ${name}${rest ? ` ${rest} ${nextName}` : ''}`
}

const weekday = new Intl.DateTimeFormat('en-GB', { weekday: 'long', timeZone: 'UTC' })
const day = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
})
const formats = {
  hour: new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
  }),
  day,
  week: day,
  month: new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric' }),
}

/** Monday is 1. */
export const nameWeekday = (number: number): string => weekday.format(Date.UTC(2024, 0, number))

/** What a place on the axis of a chart is, of a moment in Unix seconds: the hour, day, week or month that begins there. */
export const nameTime = (seconds: number, unit: Unit): string =>
  `${unit === 'week' ? 'Week from ' : ''}${formats[unit].format(seconds * 1000)}`

const shortDay = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })
const longDay = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' })

/** `24 Sept – 23 Oct`, both days included. */
export const nameDays = ({ from, until }: Period, now: Date): string =>
  (from.getFullYear() === now.getFullYear() ? shortDay : longDay).formatRange(
    from,
    new Date(until.getTime() - 1),
  )
