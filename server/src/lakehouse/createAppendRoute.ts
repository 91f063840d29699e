import type { IncomingMessage } from 'node:http'
import type { DuckDBConnection } from '@duckdb/node-api'
import { parseJson } from '../http/parseJson.js'
import { readBody } from '../http/readBody.js'
import { Refusal } from '../http/Refusal.js'
import type { Route } from '../http/Route.js'
import { checkValue } from '../ingest/checkValue.js'
import type { Ledger } from '../ingest/createLedger.js'
import { readSync } from '../ingest/readSync.js'
import { storableBody } from '../ingest/storableBody.js'
import { quoteIdentifier } from '../store/quoteIdentifier.js'
import type { AppendTarget } from './applyAppends.js'
import { describeFields } from './describeFields.js'
import { shortName } from './nameProblem.js'
import { planAppend } from './planAppend.js'
import { readTable } from './readColumns.js'
import { readTarget } from './readTarget.js'
import { tableSql, type Target } from './Target.js'

export interface AppendRouteOptions {
  authorize(request: IncomingMessage): string
  catalogs: readonly string[]
  ledgerOf(catalog: string): Ledger
  /** For looking at tables; nothing long runs on it. */
  connection: DuckDBConnection
  maxBodyBytes: number
}

type Code = 'invalid-data' | 'incompatible-schema'

const refuse = (code: Code | null, message: string, status = 400, headers: Record<string, string> = {}) =>
  new Refusal(
    status,
    { ok: false, task_id: null, error_code: code, error_message: message, message },
    headers,
  )

const readRecords = (value: unknown): Record<string, unknown>[] => {
  const records = (Array.isArray(value) ? value : [value]) as unknown[]
  for (const [at, record] of records.entries()) {
    const where = Array.isArray(value) ? `Record ${at}` : 'The body'
    if (typeof record !== 'object' || record === null || Array.isArray(record)) {
      throw refuse('invalid-data', `${where} is not an object.`)
    }
    const problem = checkValue(record)
    if (problem !== undefined) throw refuse('invalid-data', `${where} ${problem}.`)
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
export const createAppendRoute = (options: AppendRouteOptions): Route => {
  const { authorize, catalogs, ledgerOf, connection, maxBodyBytes } = options

  const append = async (request: IncomingMessage, search: string) => {
    const target = readTarget(new URLSearchParams(search), catalogs)
    const sync = readSync(search)
    const ledger = ledgerOf(target.catalog)
    ledger.admit()
    const json = parseJson(await readBody(request, maxBodyBytes))
    const { text, value } = json
    const records = readRecords(value)
    if (records.length === 0) return { ok: true, task_id: null, error_code: null, error_message: null }
    const fields = describeFields(records, text)

    const state = await readTable(connection, target)
    if (state.kind === 'view') throw refuse('incompatible-schema', `${target.table} is a view.`)
    if (state.kind === 'no-schema') {
      throw refuse('invalid-data', `There is no schema ${target.schema}; make it with CREATE SCHEMA.`)
    }
    const plan = planAppend(state.kind === 'table' ? state.columns : undefined, fields)
    if (plan.kind === 'problem') throw refuse(plan.code, plan.message)
    for (const column of plan.widen) {
      if (!(await holdsLongIntegers(connection, target, column))) continue
      const why = 'holds integers that would change if it became DOUBLE'
      throw refuse('incompatible-schema', `The column ${shortName(column)} ${why}, as this value needs.`)
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
    const { taskId, rejection } = await ledger.accept(record, sync)
    if (rejection !== undefined) {
      const code = rejection.startsWith('invalid-data') ? 'invalid-data' : 'incompatible-schema'
      throw refuse(code, rejection)
    }
    return { ok: true, task_id: taskId, error_code: null, error_message: null }
  }

  return {
    method: 'POST',
    path: '/append',
    describeFailure: (message) => ({
      ok: false,
      task_id: null,
      error_code: null,
      error_message: message,
      message,
    }),
    async handle({ request, search }) {
      authorize(request)
      try {
        return { status: 200, body: await append(request, search) }
      } catch (error) {
        if (!(error instanceof Refusal) || 'ok' in error.body) throw error
        const code = error.body['error'] === 'invalid-json' ? 'invalid-data' : null
        throw refuse(code, error.message, error.status, error.headers)
      }
    },
  }
}
