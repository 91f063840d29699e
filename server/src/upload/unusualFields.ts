import { createReadStream, createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { DuckDBConnection } from '@duckdb/node-api'
import { quoteNumber } from '../append/describeFields.js'
import { createFieldRewriter } from '../http/json/createFieldRewriter.js'
import { quoteText } from '../duckdb/quote.js'
import { requireRoom } from './spoolBody.js'
import { nameProblem } from '../append/planAppend.js'
import { refuse } from '../http/HttpError.js'
import { isShallow, maxJsonDepth } from '../duckdb/boundedJson.js'

/** The path of the second copy of a spooled file, if one is made. */
export const quotedCopy = (file: string): string => `${file}_quoted`

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

const pointer = (name: string) => quoteText(`/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`)

/**
 * DuckDB reads each fraction in JSON as a DOUBLE, whatever column it is for. When one of these fields has a
 * fraction, this writes a copy of the file in which the numbers of the fields are texts, and returns its path.
 */
export const quoteFractions = async (
  connection: DuckDBConnection,
  file: string,
  fields: readonly string[],
): Promise<string> => {
  if (fields.length === 0) return file
  const isFraction = fields.map((name) => `json_type(json, ${pointer(name)}) = 'DOUBLE'`).join(' OR ')
  const from = `read_json_objects(${quoteText(file)})`
  const found = await connection.runAndReadAll(`SELECT 1 FROM ${from} WHERE ${isFraction} LIMIT 1`)
  if (found.currentRowCount === 0) return file

  // The copy has two more bytes for each number. Asking for twice the size leaves room for other writers too.
  await requireRoom(file, 2 * (await stat(file)).size)
  const rewriter = createFieldRewriter({ fields: new Set(fields), rewrite: quoteNumber })
  const rewrite = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      done(null, rewriter.feed(chunk))
    },
  })
  const copy = quotedCopy(file)
  await pipeline(createReadStream(file), rewrite, createWriteStream(copy, { flags: 'wx', mode: 0o600 }))
  return copy
}
