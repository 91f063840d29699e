import { createReadStream, createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { DuckDBConnection } from '@duckdb/node-api'
import { quoteNumber } from '../append/castText.js'
import { createFieldRewriter } from '../json/createFieldRewriter.js'
import { quoteText } from '../store/quote.js'
import { quotedCopy } from './importing.js'
import { requireRoom } from './spoolBody.js'

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
