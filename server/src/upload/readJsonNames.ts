import type { DuckDBConnection } from '@duckdb/node-api'
import { nameProblem } from '../append/planAppend.js'
import { refuse } from '../http/HttpError.js'
import { isShallow, maxJsonDepth } from '../store/boundedJson.js'

export interface JsonNames {
  names: string[]
  records: number
}

/**
 * Finds the names of all fields of a JSON file, and reads every record for that. DuckDB itself reads only the
 * first records, leaves out a field that comes later, and changes names that it does not accept.
 */
export const readJsonNames = async (connection: DuckDBConnection, file: string): Promise<JsonNames> => {
  const reader = await connection.runAndReadAll(
    `WITH shape AS MATERIALIZED (
       SELECT json_type(json) AS kind, json_keys(json) AS names, ${isShallow('json::VARCHAR')} AS shallow, count(*) AS n
       FROM read_json_objects(${file}) GROUP BY ALL
     )
     SELECT (SELECT sum(n)::DOUBLE FROM shape WHERE kind IS DISTINCT FROM 'OBJECT'),
       (SELECT to_json(names)::VARCHAR FROM shape WHERE len(names) > len(list_distinct(names)) LIMIT 1),
       (SELECT to_json(list_sort(list(DISTINCT name)))::VARCHAR FROM (SELECT unnest(names) AS name FROM shape)),
       (SELECT coalesce(sum(n), 0)::DOUBLE FROM shape),
       (SELECT coalesce(bool_and(shallow), true) FROM shape)`,
  )
  const [others, repeated, all, records, isFlat] = reader.getRows()[0] as [
    number | null,
    string | null,
    string | null,
    number,
    boolean,
  ]
  if (!isFlat) {
    const message = `A record of the file is nested deeper than ${maxJsonDepth} levels.`
    throw refuse(400, 'invalid-upload', message)
  }
  if (others !== null)
    throw refuse(400, 'invalid-upload', `The file holds values that are no objects (${others}).`)
  if (repeated !== null) {
    const names = JSON.parse(repeated) as string[]
    const name = names.find((each, at) => names.indexOf(each) < at)
    throw refuse(400, 'invalid-upload', `A record names the field ${JSON.stringify(name)} twice.`)
  }
  const names = (all === null ? [] : JSON.parse(all)) as string[]
  const problem = nameProblem(names)
  if (problem !== undefined) throw refuse(400, 'invalid-upload', problem)
  return { names, records }
}
