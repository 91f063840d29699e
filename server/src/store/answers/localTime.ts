/**
 * DuckDB looks each timestamp up in the calendar of its time zone, which takes longer than all the rest of an
 * answer. So only the ends of spans of about half an hour are looked up. When the offset from UTC is the same
 * at both ends, it is the same in between: no clocks are changed twice in so short a time.
 */
const spanBits = 31
const spanUs = 2 ** spanBits

const spanOf = (moment: string) => `epoch_us(${moment}) >> ${spanBits}`
const ahead = (us: string) => `epoch_us(timezone(time_zone, make_timestamptz(${us}))) - (${us})`

/** The offset from UTC in each span of some events; NULL when the clocks are changed within the span. */
export const spansOf = (events: string): string =>
  `SELECT s.span, CASE WHEN ${ahead(`s.span * ${spanUs}`)} = ${ahead(`s.span * ${spanUs} + ${spanUs - 1}`)}
     THEN ${ahead(`s.span * ${spanUs}`)} END AS ahead_us
   FROM (SELECT DISTINCT ${spanOf('e."timestamp"')} AS span FROM ${events}) s`

/** Joins events with the table `span` of their spans. */
export const joinSpan = `JOIN span ON span.span = ${spanOf('e."timestamp"')}`

/** The time that clocks in `time_zone` showed at an event, which is joined with its span. */
export const localTime = `CASE WHEN span.ahead_us IS NULL THEN timezone(time_zone, e."timestamp")
  ELSE make_timestamp(epoch_us(e."timestamp") + span.ahead_us) END`
