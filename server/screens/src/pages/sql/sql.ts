/** Text that is a part of a statement; only `sql` makes it. */
export class Sql {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** DuckDB reads a statement to its first NUL, so one inside a text is written as a call. */
const quoteText = (text: string) =>
  text
    .split('\0')
    .map((part) => `'${part.replaceAll("'", "''")}'`)
    .join(' || chr(0) || ')

const quote = (value: string | Sql): string => {
  if (value instanceof Sql) return value.text
  return value.includes('\0') ? `(${quoteText(value)})` : quoteText(value)
}

/** Writes a statement: texts are quoted; parts made by `sql` stay as they are. */
export const sql = (parts: TemplateStringsArray, ...values: (string | Sql)[]): Sql =>
  new Sql(parts.reduce((text, part, at) => text + quote(values[at - 1] ?? '') + part))
