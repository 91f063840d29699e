import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, rm, stat } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { quoteText } from '../store/quoteText.js'
import type { QueryRun } from './createQueryRunner.js'
import { prepareOne } from './prepareOne.js'
import { messageOf, refuseStatement } from './refuseQuery.js'
import { quoteIdentifier } from '../store/quoteIdentifier.js'
import { uniqueNames } from './uniqueNames.js'
import { asTable, cutSql, type Cut } from './wrapRead.js'

/**
 * Parquet needs a file: it is written into DuckDB's own temporary folder, the only one that the
 * locked engine can write to. It can read there too, so the name has no ending by which DuckDB would
 * take a name in user SQL for a file, beside what the guard refuses.
 */
export const deliverParquet = async (
  response: ServerResponse,
  folder: string,
  cut: Cut,
  { plan, session, queryId }: QueryRun,
): Promise<void> => {
  const file = join(folder, `export-${randomUUID()}`)
  const columns = uniqueNames(plan.names).map((name, at) => `c${at} AS ${quoteIdentifier(name)}`)
  const rows = `SELECT ${columns.join(', ')} FROM ${asTable(plan.text, plan.names.length)}${cutSql(cut)}`
  await mkdir(folder, { recursive: true })
  try {
    await prepareOne(session.connection, `COPY (${rows}) TO ${quoteText(file)} (FORMAT parquet)`)
      .then((copy) => copy.run())
      .catch((error: unknown) => Promise.reject(refuseStatement(messageOf(error))))
    const { size } = await stat(file)
    response.writeHead(200, {
      'content-type': 'application/vnd.apache.parquet',
      'content-length': size,
      'x-query-id': queryId,
      'x-session-id': encodeURIComponent(session.id),
    })
    await pipeline(createReadStream(file), response)
  } finally {
    await rm(file, { force: true })
  }
}
