import { shorten } from '../http/HttpError.js'
import { refuseField } from '../sql/refuse.js'
import { type Alert, type Figure, questionOf } from './alert.js'
import type { Message, MessageKind } from './alertsSchema.js'

/** A time from its first moment to the one after its last, in Unix milliseconds. */
export interface Span {
  fromMs: number
  untilMs: number
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

const maxZones = 100
const clocks = new Map<string, Intl.DateTimeFormat>()
const clockOf = (timeZone: string): Intl.DateTimeFormat => {
  let clock = clocks.get(timeZone)
  if (clock === undefined) {
    if (clocks.size >= maxZones) clocks.clear()
    clock = new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
    clocks.set(timeZone, clock)
  }
  return clock
}

/** What a clock on the wall shows, as if it stood in UTC. */
const toLocal = (atMs: number, zone: string): number =>
  Date.parse(`${clockOf(zone).format(atMs).replace(' ', 'T')}Z`) + (((atMs % 1000) + 1000) % 1000)

/** The first moment at which a clock on the wall shows this. One that it leaves out is an hour later. */
const toMoment = (localMs: number, zone: string): number => {
  const offsetAt = (atMs: number) => toLocal(atMs, zone) - atMs
  // A zone is less than a day from UTC, so these are the offsets from before and after a change on that day.
  const [early, late] = [localMs - offsetAt(localMs - dayMs), localMs - offsetAt(localMs + dayMs)]
  return toLocal(early, zone) !== localMs && toLocal(late, zone) === localMs ? late : early
}

const floor = (ms: number, step: number) => Math.floor(ms / step) * step

/** The first day that JavaScript knows was a Thursday. */
const mondayMs = 4 * dayMs
const startOf = (unit: 'day' | 'week', atMs: number, zone: string): number => {
  const localMs = toLocal(atMs, zone)
  const startMs = unit === 'day' ? floor(localMs, dayMs) : floor(localMs - mondayMs, 7 * dayMs) + mondayMs
  return toMoment(startMs, zone)
}

/** How often a time of the last minutes moves on. */
const stepOf = (minutes: number) => (minutes < 60 ? minuteMs : 5 * minuteMs)

/** The last time that had ended at a moment: the last whole hour, day or week, or the last minutes. */
export const lastSpan = ({ over, minutes = 0, timezone = 'UTC' }: Alert, atMs: number): Span => {
  if (over === 'minutes') {
    const untilMs = floor(atMs, stepOf(minutes))
    return { fromMs: untilMs - minutes * minuteMs, untilMs }
  }
  if (over === 'hour') {
    const offsetMs = toLocal(atMs, timezone) - atMs
    const untilMs = floor(atMs + offsetMs, hourMs) - offsetMs
    return { fromMs: untilMs - hourMs, untilMs }
  }
  const untilMs = startOf(over, atMs, timezone)
  return { fromMs: startOf(over, untilMs - 1, timezone), untilMs }
}

const weeksBefore = ({ fromMs, untilMs }: Span, weeks: number, { over, timezone = 'UTC' }: Alert): Span => {
  const back = (ms: number) => toMoment(toLocal(ms, timezone) - weeks * 7 * dayMs, timezone)
  const beganMs = back(fromMs)
  // An hour is as long everywhere, also where clocks left it out.
  const isOfDays = over === 'day' || over === 'week'
  return { fromMs: beganMs, untilMs: isOfDays ? back(untilMs) : beganMs + untilMs - fromMs }
}

/** The rows of an answer. */
export interface Table {
  columns: readonly string[]
  rows: readonly (readonly unknown[])[]
  isCut: boolean
}

/** Asks for a figure's answer in a time. */
export type AskFor = (figure: Figure, span: Span) => Promise<Table>

/** The number that a figure is; null where it has no value. A row that is not there counts as 0 where all rows are known. */
export const pick = ({ column, row, ask }: Figure, { columns, rows, isCut }: Table): number | null => {
  const placeOf = (name: string) => {
    const place = columns.indexOf(name)
    if (place >= 0) return place
    throw refuseField(
      `${ask.name} has no column ${JSON.stringify(shorten(name))}; it has ${columns.join(', ')}.`,
    )
  }
  const [at, key] = [placeOf(column!), row && placeOf(row.column)]
  const found = key === undefined ? rows : rows.filter((each) => String(each[key] ?? '') === row!.is)
  if (found.length > 1)
    throw refuseField(
      `${ask.name} has several rows${row === undefined ? ': row must say which' : ' of this value'}.`,
    )
  if (found.length === 0) {
    const most = ask['most']
    if (isCut || (typeof most === 'number' && rows.length >= most))
      throw refuseField(
        `${ask.name} does not have ${row?.is} among its first ${rows.length} rows; set most higher.`,
      )
    return 0
  }
  const value = found[0]![at]
  if (value === null) return null
  const number = typeof value === 'number' ? value : Number(typeof value === 'string' ? value : Number.NaN)
  if (Number.isFinite(number)) return number
  throw refuseField(`${column} of ${ask.name} is no number: ${shorten(String(value))}.`)
}

export interface Judgement {
  value: number | null
  /** What was expected, in words. */
  expected: string
  /** Null where it cannot be said. */
  isBad: boolean | null
}

/** A number for people: at most two digits behind the point, or four that count. */
export const show = (value: number | null): string => {
  if (value === null) return 'no value'
  const rounded = Math.abs(value) >= 100 ? Math.round(value * 100) / 100 : Number(value.toPrecision(4))
  return rounded.toLocaleString('en', { maximumFractionDigits: 10 })
}

const comparedWeeks = [1, 2, 3, 4]

const judgeChange = async (
  alert: Alert,
  span: Span,
  value: number | null,
  askFor: AskFor,
): Promise<Judgement> => {
  const [figure] = alert.figures
  const percent = alert.than!
  const before: number[] = []
  for (const weeks of comparedWeeks) {
    const earlier = weeksBefore(span, weeks, alert)
    before.push(pick(figure!, await askFor(figure!, earlier)) ?? 0)
  }
  // The weeks before there was anything say nothing.
  while (before.at(-1) === 0) before.pop()
  if (before.length === 0 || value === null)
    return { value, expected: 'nothing to compare with in the four weeks before', isBad: null }
  const mean = before.reduce((sum, each) => sum + each, 0) / before.length
  const [least, most] = [mean * (1 - percent / 100), mean * (1 + percent / 100)]
  const [low, high] = least < most ? [least, most] : [most, least]
  const weeks = before.length === 1 ? 'a week before' : `the same time of ${before.length} weeks`
  const expected = `${show(low)} to ${show(high)}: ${show(mean)} as ${before.length === 1 ? '' : 'the mean of '}${weeks}, ± ${show(percent)} %`
  return { value, expected, isBad: value < low || value > high }
}

/** Judges the figure of an alert in a time. */
export const judge = async (alert: Alert, span: Span, askFor: AskFor): Promise<Judgement> => {
  const [figure] = alert.figures
  const value = pick(figure!, await askFor(figure!, span))
  const { when, than = 0, minutes } = alert
  if (when === 'changed') return judgeChange(alert, span, value, askFor)
  if (when === 'nothing')
    return { value, expected: `something in ${minutes} minutes`, isBad: value === null || value === 0 }
  const expected = `at ${when === 'below' ? 'least' : 'most'} ${show(than)}`
  if (value === null) return { value, expected, isBad: null }
  return { value, expected, isBad: when === 'below' ? value < than : value > than }
}

const maxDigestRows = 10

const showCell = (cell: unknown): string =>
  typeof cell === 'number'
    ? show(cell)
    : shorten(typeof cell === 'string' ? cell : (JSON.stringify(cell) ?? ''), 80)

/** The lines of a digest: each figure with its value a week before, or the first rows of an answer. */
export const digest = async (alert: Alert, span: Span, askFor: AskFor): Promise<string[]> => {
  const lines: string[] = []
  const earlier = weeksBefore(span, 1, alert)
  for (const figure of alert.figures) {
    const table = await askFor(figure, span)
    if (figure.column === undefined) {
      lines.push(`${questionOf(figure)}:`, table.columns.join(' | '))
      lines.push(...table.rows.slice(0, maxDigestRows).map((row) => row.map(showCell).join(' | ')))
      if (table.rows.length > maxDigestRows || table.isCut) lines.push('…')
    } else {
      const [now, then] = [pick(figure, table), pick(figure, await askFor(figure, earlier))]
      lines.push(`${questionOf(figure)}: ${show(now)} (a week before: ${show(then)})`)
    }
  }
  return lines
}

/** What was found: a judgement, the lines of a digest, or why there is neither. */
export type Found = Judgement | { lines: string[] } | { error: string }

const titles: Readonly<Record<MessageKind, string>> = {
  fired: 'Alert',
  recovered: 'Recovered',
  failed: 'Cannot be judged',
  digest: 'Digest',
  test: 'Test',
}

interface WriteMessage {
  id: string
  name: string
  alert: Alert
  span: Span
  found: Found
  kind: MessageKind
  /** Since when it is as it is now or, where that is over, as it was. */
  sinceMs?: number | undefined
  nowMs: number
}

/** Writes what is sent, as text and in parts. */
export const writeMessage = ({
  id,
  name,
  alert,
  span,
  found,
  kind,
  sinceMs,
  nowMs,
}: WriteMessage): Message => {
  const { timezone = 'UTC', figures, page, search } = alert
  const shown = (atMs: number) => clockOf(timezone).format(atMs).slice(0, 16)
  const question = questionOf(figures[0]!)
  const link = page === undefined ? null : search === undefined ? page : `${page}?${search}`
  const since = sinceMs ?? span.untilMs
  const time = `${shown(span.fromMs)} to ${shown(span.untilMs)}, ${timezone}`
  const [value, expected] = 'value' in found ? [found.value, found.expected] : [null, null]
  const lines = [`${titles[kind]}: ${name}`]
  if ('lines' in found) lines.push(time, ...found.lines)
  else if ('error' in found) lines.push(`${question} (${time}): ${found.error}`)
  else {
    lines.push(`${question}: ${show(found.value)} (${time})`, `Expected: ${found.expected}`)
    if (kind === 'fired') lines.push(`Since: ${shown(since)}`)
    if (kind === 'recovered') lines.push(`It was so from ${shown(since)} to ${shown(span.untilMs)}`)
  }
  if (link !== null) lines.push(link)
  const iso = (atMs: number) => new Date(atMs).toISOString()
  return {
    id,
    kind,
    alert: name,
    question,
    value,
    expected,
    since: iso(since),
    from: iso(span.fromMs),
    until: iso(span.untilMs),
    timezone,
    link,
    search: search ?? null,
    made_at: iso(nowMs),
    text: lines.join('\n'),
  }
}
