import type { DuckDBConnection } from '@duckdb/node-api'
import { shorten } from '../json/shorten.js'
import type { FieldKind } from './describeFields.js'
import { isNested, shortName } from './planAppend.js'
import { castField, readRecords, type RecordSource } from './readRecords.js'

/** Whether a type holds every value of these kinds, so that no value has to be looked at. */
const holdsAll = (type: string, kinds: readonly FieldKind[]): boolean => {
  if (['JSON', 'VARCHAR', 'BOOLEAN', 'DOUBLE', 'TIMESTAMP'].includes(type)) return true
  return type === 'BIGINT' && !kinds.includes('whole')
}

/** Names the first value that does not fit into its column, before anything is accepted; undefined when all values fit. */
export const findUnfit = async (
  connection: DuckDBConnection,
  source: RecordSource,
): Promise<string | undefined> => {
  const asked = source.plan.read.filter(({ field, type }) => !holdsAll(type, source.fields[field] ?? []))
  if (asked.length === 0) return undefined
  const { from, values, types } = readRecords({ ...source, plan: { ...source.plan, read: asked } })
  const casts = asked.map(({ field, type }) => `count(${castField(field, type)})`)
  let reason: string
  try {
    await connection.run(`SELECT ${casts.join(', ')} FROM ${from}`, values, types)
    return undefined
  } catch (error) {
    reason = error instanceof Error ? error.message.split('\n', 1)[0]! : String(error)
  }
  // A cast of a nested value gives NULL only when the whole value is wrong, so nested columns cannot name the value.
  const flat = asked.filter(({ type }) => !isNested(type))
  const cases = flat.map(
    ({ field, type }, at) =>
      `WHEN ${castField(field, 'VARCHAR')} IS NOT NULL AND ${castField(field, type, 'try')} IS NULL
       THEN {'at': ${at}, 'value': ${castField(field, 'VARCHAR')}}`,
  )
  if (cases.length > 0) {
    const reader = await connection.runAndReadAll(
      `SELECT position::INT, unfit.at, unfit.value FROM (
         SELECT position, CASE ${cases.join(' ')} END AS unfit FROM ${from}
       ) WHERE unfit IS NOT NULL ORDER BY position LIMIT 1`,
      values,
      types,
    )
    const [found] = reader.getRows() as [number, number, string][]
    if (found !== undefined) {
      const { field, type } = flat[found[1]]!
      const value = shorten(found[2])
      return `Record ${found[0]}: the value ${value} of the field ${shortName(field)} does not fit into the column, which is ${type}.`
    }
  }
  return `A record does not fit into the table: ${reason}`
}
