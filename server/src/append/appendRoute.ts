import type { IncomingMessage } from 'node:http'
import type { DuckDBConnection } from '@duckdb/node-api'
import { refuse } from '../http/HttpError.js'
import type { Authorize, Route } from '../http/Route.js'
import { readBody } from '../http/readBody.js'
import { parseJson } from '../http/readJson.js'
import { checkValue, storableBody } from '../json/storableJson.js'
import { quoteIdentifier } from '../store/quote.js'
import { readSync, type Intake } from '../wal/Intake.js'
import { readTable, readTarget, tableSql, type Target } from './Target.js'
import { appendError } from './appendError.js'
import type { AppendTarget } from './applyAppends.js'
import { describeFields } from './describeFields.js'
import { planAppend, shortName } from './planAppend.js'

export interface AppendRouteOptions {
  authorize: Authorize
  catalogs: readonly string[]
  intakeOf(catalog: string): Intake
  /** For looking at tables; nothing long runs on it. */
  connection: DuckDBConnection
}

const maxBodyBytes = 64 * 1_048_576

const readRecords = (value: unknown): Record<string, unknown>[] => {
  const records = (Array.isArray(value) ? value : [value]) as unknown[]
  for (const [at, record] of records.entries()) {
    const where = Array.isArray(value) ? `Record ${at}` : 'The body'
    if (typeof record !== 'object' || record === null || Array.isArray(record)) {
      throw refuse(400, 'invalid-data', `${where} is not an object.`)
    }
    const problem = checkValue(record)
    if (problem !== undefined) throw refuse(400, 'invalid-data', `${where} ${problem}.`)
  }
  return records as Record<string, unknown>[]
}

/** Whether a column holds a number that would be another one as a DOUBLE. */
const holdsLongIntegers = async (connection: DuckDBConnection, target: Target, column: string) => {
  const name = quoteIdentifier(column)
  const reader = await connection.runAndReadAll(
    `SELECT 1 FROM ${tableSql(target)} WHERE ${name} > ${2 ** 53} OR ${name} < -${2 ** 53} LIMIT 1`,
  )
  return reader.currentRowCount > 0
}

/** `POST /append`: JSON records into a table that grows with them. */
export const appendRoute = (options: AppendRouteOptions): Route => {
  const { authorize, catalogs, intakeOf, connection } = options

  const append = async (request: IncomingMessage, search: string) => {
    const target = readTarget(new URLSearchParams(search), catalogs)
    const sync = readSync(search)
    const intake = intakeOf(target.catalog)
    intake.admit()
    const json = parseJson(await readBody(request, maxBodyBytes))
    const { text, value } = json
    const records = readRecords(value)
    if (records.length === 0) return { ok: true, task_id: null, error_code: null, error_message: null }
    const fields = describeFields(records, text)

    const state = await readTable(connection, target)
    if (state.kind === 'view') throw refuse(400, 'incompatible-schema', `${target.table} is a view.`)
    if (state.kind === 'no-schema') {
      throw refuse(400, 'invalid-data', `There is no schema ${target.schema}; make it with CREATE SCHEMA.`)
    }
    const plan = planAppend(state.kind === 'table' ? state.columns : undefined, fields)
    if (plan.kind === 'problem') throw refuse(400, plan.code, plan.message)
    for (const column of plan.widen) {
      if (!(await holdsLongIntegers(connection, target, column))) continue
      const why = 'holds integers that would change if it became DOUBLE'
      throw refuse(400, 'incompatible-schema', `The column ${shortName(column)} ${why}, as this value needs.`)
    }

    const place: AppendTarget = { schema: target.schema, table: target.table, fields }
    const body = storableBody(json, Array.isArray(value) ? text : `[${text}]`)
    const record = {
      kind: 'append',
      count: records.length,
      receivedAtMs: Date.now(),
      body,
      target: JSON.stringify(place),
    }
    const { taskId, deadLetter } = await intake.accept(record, sync)
    if (deadLetter !== undefined) {
      const code = deadLetter.startsWith('invalid-data') ? 'invalid-data' : 'incompatible-schema'
      throw refuse(400, code, deadLetter)
    }
    return { ok: true, task_id: taskId, error_code: null, error_message: null }
  }

  return {
    method: 'POST',
    path: '/append',
    writeError: appendError,
    async handle({ request, search }) {
      authorize(request)
      return { status: 200, body: await append(request, search) }
    },
  }
}
