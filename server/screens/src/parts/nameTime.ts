import type { Unit } from '../shell/timeRange'

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

/** What a place on the axis of a chart is, of a moment in Unix seconds: the hour, day, week or month that begins there. */
export const nameTime = (seconds: number, unit: Unit): string =>
  `${unit === 'week' ? 'Week from ' : ''}${formats[unit].format(seconds * 1000)}`
