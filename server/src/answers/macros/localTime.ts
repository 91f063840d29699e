/**
 * DuckDB looks each timestamp up in the calendar of its time zone, which takes longer than all the rest of an
 * answer. So only the ends of spans of about half an hour are looked up. When the offset from UTC is the same
 * at both ends, it is the same in between: no clocks are changed twice in so short a time.
 */
const spanBits = 31
const spanUs = 2 ** spanBits

const spanOf = (moment: string) => `epoch_us(${moment}) >> ${spanBits}`
const localAt = (us: string) => `timezone(time_zone, make_timestamptz(${us}))`

/** The spans of some events, each with its period: what `periodOf` makes of a local time. It is NULL where several periods are in a span. */
export const spansOf = (events: string, periodOf: (local: string) => string): string =>
  `SELECT s.span, CASE WHEN epoch_us(s.last) - epoch_us(s.first) = ${spanUs - 1} AND ${periodOf('s.first')} = ${periodOf('s.last')}
     THEN ${periodOf('s.first')} END AS period
   FROM (SELECT d.span, ${localAt(`d.span * ${spanUs}`)} AS first, ${localAt(`d.span * ${spanUs} + ${spanUs - 1}`)} AS last
     FROM (SELECT DISTINCT ${spanOf('e."timestamp"')} AS span FROM ${events}) d) s`

/** Joins events, or others by their `moment`, with a table of their spans. */
export const joinSpan = (moment = 'e."timestamp"', table = 'span'): string =>
  `JOIN ${table} span ON span.span = ${spanOf(moment)}`

/** The period of a moment, which is joined with its span. */
export const periodOfMoment = (periodOf: (local: string) => string, moment = 'e."timestamp"'): string =>
  `CASE WHEN span.period IS NULL THEN ${periodOf(`timezone(time_zone, ${moment})`)} ELSE span.period END`

/** Adds to the spans of `table` the periods of those that follow them. */
export const withNext = (table: string): string =>
  `SELECT s.*, n.period AS next_period FROM ${table} s LEFT JOIN ${table} n ON n.span = s.span + 1`

/** Whether rows whose `began` is joined with its span, with the next one's period, end in the same period. Most end in that span or in the next one. */
export const isOnePeriod = (began: string, ended: string, periodOf: (local: string) => string): string =>
  `CASE WHEN span.period IS NOT NULL AND ${spanOf(ended)} = span.span THEN true
     WHEN span.period = span.next_period AND ${spanOf(ended)} = span.span + 1 THEN true
     ELSE ${periodOf(`timezone(time_zone, ${began})`)} = ${periodOf(`timezone(time_zone, ${ended})`)} END`
