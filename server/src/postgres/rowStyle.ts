import type { Settings } from './Settings.js'
import { type Field, typeOfOid } from './types.js'

/** Writes a value as Postgres's settings DateStyle and IntervalStyle ask; undefined where it stays as it is. */
export type Style = ((text: string) => string) | undefined

const days = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const moment = /^(\d{4,})-(\d\d)-(\d\d)(?: ([\d:.]+)([+-][\d:]+)?)?( BC)?$/

/** https://www.postgresql.org/docs/current/datatype-datetime.html#DATATYPE-DATETIME-OUTPUT, with offsets for names of zones. */
const dateStyle = (setting: string): Style => {
  const [form = 'ISO', order = 'MDY'] = setting.split(', ')
  if (form === 'ISO') return undefined
  return (text) => {
    const found = moment.exec(text)
    if (found === null) return text
    const [, year = '', month = '', day = '', time, zone = '', bc = ''] = found
    const joined = (sign: string) => (order === 'DMY' ? [day, month, year] : [month, day, year]).join(sign)
    const behind = time === undefined ? '' : ` ${time}${zone === '' ? '' : ` ${zone}`}`
    if (form === 'German') return `${day}.${month}.${year}${behind}${bc}`
    if (form === 'SQL') return `${joined('/')}${behind}${bc}`
    if (time === undefined) return `${joined('-')}${bc}`
    const date = new Date(0)
    date.setUTCFullYear(bc === '' ? Number(year) : 1 - Number(year), Number(month) - 1, Number(day))
    const name = months[Number(month) - 1]
    const inOrder = order === 'DMY' ? `${day} ${name}` : `${name} ${day}`
    return `${days[date.getUTCDay()]} ${inOrder} ${time} ${year}${zone === '' ? '' : ` ${zone}`}${bc}`
  }
}

interface Interval {
  years: number
  months: number
  days: number
  /** With its sign, as `-01:02:03.5`; empty for none. */
  time: string
}

const readInterval = (text: string): Interval => {
  const of = (unit: string) => Number(new RegExp(`(-?\\d+) ${unit}`).exec(text)?.[1] ?? 0)
  const [time = ''] = /-?\d+:\d\d:[\d.]+$/.exec(text) ?? []
  return { years: of('year'), months: of('mon'), days: of('day'), time }
}

const clockOf = (time: string): [sign: string, hours: number, minutes: number, seconds: string] => {
  const [, sign = '', hours = '0', minutes = '0', seconds = '0'] =
    /^(-?)(\d+):(\d\d):([\d.]+)$/.exec(time) ?? []
  return [sign, Number(hours), Number(minutes), seconds.replace(/^0(?=\d)/, '')]
}

const part = (value: number | string, unit: string) => (Number(value) === 0 ? '' : `${value}${unit}`)

/** https://www.postgresql.org/docs/current/datatype-datetime.html#INTERVAL-STYLE-OUTPUT-TABLE */
const intervalStyles: Record<string, (of: Interval) => string> = {
  iso_8601: ({ years, months: inYear, days: whole, time }) => {
    const [sign, hours, minutes, seconds] = clockOf(time)
    const clock = [part(hours, 'H'), part(minutes, 'M'), part(seconds, 'S')].map((each) => each && sign + each)
    const date = part(years, 'Y') + part(inYear, 'M') + part(whole, 'D')
    const all = date + (clock.join('') && `T${clock.join('')}`)
    return `P${all || 'T0S'}`
  },
  sql_standard: ({ years, months: inYear, days: whole, time }) => {
    const [sign, hours, minutes, seconds] = clockOf(time)
    const clock = `${hours}:${String(minutes).padStart(2, '0')}:${seconds.replace(/^\d(?!\d)/, '0$&')}`
    const hasMonths = years !== 0 || inYear !== 0
    const hasRest = whole !== 0 || time !== ''
    const signOf = (isNegative: boolean) => (isNegative ? '-' : '+')
    const ym = `${Math.abs(years)}-${Math.abs(inYear)}`
    if (hasMonths && hasRest)
      return `${signOf(years < 0 || inYear < 0)}${ym} ${signOf(whole < 0)}${Math.abs(whole)} ${sign || '+'}${clock}`
    if (hasMonths) return `${years < 0 || inYear < 0 ? '-' : ''}${ym}`
    if (whole !== 0) return time === '' ? `${whole} 0:00:00` : `${whole} ${sign}${clock}`
    return time === '' ? '0' : sign + clock
  },
  postgres_verbose: ({ years, months: inYear, days: whole, time }) => {
    const [sign, hours, minutes, seconds] = clockOf(time)
    const count = (value: number | string, unit: string) =>
      Number(value) === 0 ? [] : [`${sign && /^(hour|min|sec)$/.test(unit) ? '-' : ''}${value} ${unit}${Math.abs(Number(value)) === 1 ? '' : 's'}`]
    const parts = [...count(years, 'year'), ...count(inYear, 'mon'), ...count(whole, 'day'), ...count(hours, 'hour'), ...count(minutes, 'min'), ...count(seconds, 'sec')]
    return `@ ${parts.join(' ') || '0'}`
  },
} // prettier-ignore

const intervalStyle = (setting: string): Style => {
  const write = intervalStyles[setting]
  return write && ((text) => write(readInterval(text)))
}

export const styleOf = (oid: number, settings: Settings): Style => {
  const name = typeOfOid(oid)?.name ?? ''
  if (name === 'interval') return intervalStyle(settings.get('IntervalStyle')!)
  return /^(date|timestamp|timestamptz)$/.test(name) ? dateStyle(settings.get('DateStyle')!) : undefined
}

/** Writes the texts of a row in the styles that are set; undefined where no column has one. */
export const rowStyle = (fields: readonly Field[], settings: Settings) => {
  const styles = fields.map(({ oid }) => styleOf(oid, settings))
  if (styles.every((style) => style === undefined)) return undefined
  return (value: string | null, at: number) => (value === null ? null : (styles[at]?.(value) ?? value))
}
