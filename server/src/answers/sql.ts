import { quoteIdentifier, quoteText } from '../duckdb/quote.js'

/** Text that is a part of a statement; only `sql`, `identifier` and `joinSql` make it. */
export class Sql {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** A moment as it was given, such as `2026-10-01` or `2026-10-01T08:00:00Z`. */
export class Moment {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type SqlValue = string | number | boolean | Moment | null | Sql | readonly SqlValue[]

/** DuckDB reads a statement to its first NUL, so one inside a text is written as a call. */
const quoteWhole = (text: string) =>
  text.includes('\0') ? `(${text.split('\0').map(quoteText).join(' || chr(0) || ')})` : quoteText(text)

const quote = (value: SqlValue): string => {
  if (value === null) return 'NULL'
  if (value instanceof Sql) return value.text
  if (value instanceof Moment) return `TIMESTAMPTZ ${quoteText(value.text)}`
  if (typeof value === 'string') return quoteWhole(value)
  if (typeof value === 'boolean') return value ? 'true' : 'false'
  if (typeof value === 'number') return String(value)
  return `[${value.map(quote).join(', ')}]`
}

/** Writes a statement: values are quoted as texts, numbers, moments and lists; parts made by `sql` stay as they are. */
export const sql = (parts: TemplateStringsArray, ...values: SqlValue[]): Sql =>
  new Sql(parts.reduce((text, part, at) => text + quote(values[at - 1] ?? null) + part))

/** The name of a column. */
export const identifier = (name: string): Sql => new Sql(quoteIdentifier(name))

/** Parts with `separator` between them, such as ` AND `. */
export const joinSql = (parts: readonly Sql[], separator: string): Sql =>
  new Sql(parts.map(({ text }) => text).join(separator))

export const none = sql``
/** A part of a statement that is there on a condition only. */
export const when = (isThere: unknown, part: Sql): Sql => (isThere ? part : none)

export const and = (parts: readonly Sql[]): Sql => joinSql(parts, '\n    AND ')
export const whereAll = (parts: readonly Sql[]): Sql => when(parts.length > 0, sql`\nWHERE ${and(parts)}`)
