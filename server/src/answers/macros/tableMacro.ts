import { quoteText } from '../../duckdb/quote.js'

/** A table macro of the catalog `analytics`. In its SQL a bare name may be a parameter, so columns are qualified. */
export interface TableMacro {
  name: string
  comment: string
  /** A parameter that can be left out has the SQL of its default, and stands behind the others. */
  parameters: readonly (readonly [name: string, fallback?: string])[]
  columns: readonly string[]
  /** Mistakes in the arguments: a condition, and the SQL of a text that says what to write instead. */
  problems: readonly (readonly [when: string, text: string])[]
  /** The tables that the answer is computed in, one from the other. The last one, `answer`, has the columns. */
  tables: readonly (readonly [name: string, sql: string])[]
  /** The numbers of the columns that the rows are sorted by. DuckDB sorts even where nobody reads in that order. */
  order?: string
}

/**
 * Wrong arguments are reported by a row that fails, in a UNION with the answer: it is computed whatever rows
 * there are. When the arguments are right and constant, DuckDB removes it before it runs anything.
 */
const problemRow = ({ columns, problems }: TableMacro): string => {
  const cases = problems.map(([when, text]) => `WHEN ${when} THEN error(${text})::BOOLEAN`)
  const nulls = columns.map(() => 'NULL').join(', ')
  return `SELECT ${nulls} WHERE CASE ${cases.join(' ')} ELSE false END`
}

export const tableMacroSql = (macro: TableMacro): string => {
  const { name, comment, parameters, columns, tables, order } = macro
  const signature = parameters.map(([each, fallback]) =>
    fallback === undefined ? each : `${each} := ${fallback}`,
  )
  const withs = tables.map(([table, sql]) => `${table} AS (${sql})`)
  const list = columns.map((column) => `answer.${column}`).join(', ')
  return `CREATE OR REPLACE MACRO analytics.main.${name}(${signature.join(', ')}) AS TABLE
    WITH ${withs.join(', ')}
    SELECT ${list} FROM answer UNION ALL ${problemRow(macro)}${order === undefined ? '' : ` ORDER BY ${order}`};
    COMMENT ON MACRO TABLE analytics.main.${name} IS ${quoteText(comment)};`
}

/**
 * DuckDB looks each timestamp up in the calendar of its time zone, which takes longer than all the rest of an
 * answer. So only the ends of spans of about half an hour are looked up. When the offset from UTC is the same
 * at both ends, it is the same in between: no clocks are changed twice in so short a time.
 */
const spanBits = 31
const spanUs = 2 ** spanBits

const spanOf = (moment: string) => `epoch_us(${moment}) >> ${spanBits}`
const localAt = (us: string) => `timezone(time_zone, make_timestamptz(${us}))`

const span = spanOf('e."timestamp"')
/** The spans of some events. */
export const spansIn = (events: string): string => `SELECT DISTINCT ${span} AS span FROM ${events}`
/**
 * The spans of many events. DuckDB expects few rows of a list, so it looks events up among spans; of so many rows it
 * would expect as many spans, and look these up among the events, which takes four times as long.
 */
export const spansInMany = (events: string): string =>
  `SELECT unnest(list(DISTINCT ${span})) AS span FROM ${events}`

/** Some spans, each with its period: what `periodOf` makes of a local time. It is NULL where several periods are in a span. */
export const spansOf = (spans: string, periodOf: (local: string) => string): string =>
  `SELECT s.span, CASE WHEN epoch_us(s.last) - epoch_us(s.first) = ${spanUs - 1} AND ${periodOf('s.first')} = ${periodOf('s.last')}
     THEN ${periodOf('s.first')} END AS period
   FROM (SELECT d.span, ${localAt(`d.span * ${spanUs}`)} AS first, ${localAt(`d.span * ${spanUs} + ${spanUs - 1}`)} AS last
     FROM (${spans}) d) s`

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
