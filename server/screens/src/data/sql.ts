/** Text that is a part of a statement; only `sql` and `identifier` make it. */
export class Sql {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

export type SqlValue = string | number | boolean | Date | null | Sql | readonly SqlValue[]

/** DuckDB reads a statement to its first NUL, so one inside a text is written as a call. */
const quoteText = (text: string) =>
  text
    .split('\0')
    .map((part) => `'${part.replaceAll("'", "''")}'`)
    .join(' || chr(0) || ')

function quote(value: SqlValue): string {
  if (value === null) return 'NULL'
  if (value instanceof Sql) return value.text
  if (value instanceof Date) return `TIMESTAMPTZ '${value.toISOString()}'`
  if (typeof value === 'string') return value.includes('\0') ? `(${quoteText(value)})` : quoteText(value)
  if (typeof value === 'boolean') return value ? 'true' : 'false'
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new Error(`${value} is not a number that SQL can be given.`)
    return String(value)
  }
  return `[${value.map(quote).join(', ')}]`
}

/** Writes a statement: values are quoted as texts, numbers, moments and lists; parts made by `sql` stay as they are. */
export const sql = (parts: TemplateStringsArray, ...values: SqlValue[]): Sql =>
  new Sql(parts.reduce((text, part, at) => text + quote(values[at - 1] ?? null) + part))

/** The name of a column or table. */
export const identifier = (name: string): Sql => new Sql(`"${name.replaceAll('"', '""')}"`)

/** Parts with `separator` between them, such as ` AND `. */
export const joinSql = (parts: readonly Sql[], separator: string): Sql =>
  new Sql(parts.map(({ text }) => text).join(separator))
