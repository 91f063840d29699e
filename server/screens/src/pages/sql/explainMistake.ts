import { withoutQuote } from './findErrorPosition'

const unknown = /(?:Referenced column|does not have a column named) "((?:[^"]|"")+)"/
const isOfPersons = (statement: string) =>
  /\bpersons\b/i.test(statement) && !/\b(?:events|page_views)\b/i.test(statement)

/** A message of DuckDB for the screen. What is no column is often a property, or a trait. */
export function explainMistake(message: string, statement: string): string {
  const text = withoutQuote(message)
  const name = unknown.exec(text)?.[1]?.replaceAll('""', '"')
  if (name === undefined) return text
  const [kind, column] = isOfPersons(statement) ? ['trait', 'traits'] : ['property', 'properties']
  return `${text}\n\nIs it a ${kind}? Write prop(${column}, '${name.replaceAll("'", "''")}').`
}
