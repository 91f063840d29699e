/**
 * DuckDB asks the calendar of a time zone about each moment for itself, which takes longer than all else in
 * an answer. So it is asked about the ends of spans of half an hour: where the clocks are ahead of UTC by as
 * much at both ends they are so in between, because none are changed twice in such a time.
 */
const spanBits = 31
const spanUs = 2 ** spanBits

const spanOf = (moment: string) => `epoch_us(${moment}) >> ${spanBits}`
const ahead = (us: string) => `epoch_us(timezone(time_zone, make_timestamptz(${us}))) - (${us})`

/** By how much the clocks are ahead in the spans of some events; NULL where they are changed in it. */
export const spansOf = (events: string): string =>
  `SELECT s.span, CASE WHEN ${ahead(`s.span * ${spanUs}`)} = ${ahead(`s.span * ${spanUs} + ${spanUs - 1}`)}
     THEN ${ahead(`s.span * ${spanUs}`)} END AS ahead_us
   FROM (SELECT DISTINCT ${spanOf('e."timestamp"')} AS span FROM ${events}) s`

/** Joins events with the table `span` of their spans. */
export const joinSpan = `JOIN span ON span.span = ${spanOf('e."timestamp"')}`

/** What clocks in `time_zone` showed at an event that is joined with its span. */
export const localTime = `CASE WHEN span.ahead_us IS NULL THEN timezone(time_zone, e."timestamp")
  ELSE make_timestamp(epoch_us(e."timestamp") + span.ahead_us) END`
