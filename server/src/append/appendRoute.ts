import type { IncomingMessage } from 'node:http'
import type { DuckDBConnection } from '@duckdb/node-api'
import { appendError, HttpError, refuse, shorten } from '../http/HttpError.js'
import type { Route } from '../http/Route.js'
import { type JsonBody, parseJson, checkParameters } from '../http/readJson.js'
import { readUnpacked } from '../http/readBody.js'
import type { DiskRoom } from '../disk/DiskRoom.js'
import { checkValue, halfFinder } from '../http/json/storableJson.js'
import { readSync, type Intake } from '../wal/Intake.js'
import { readIdentity } from '../users/Identity.js'
import { readTable, readTarget } from './Target.js'
import type { AppendTarget } from './applyAppends.js'
import {
  castField,
  describeFields,
  type FieldKind,
  readRecords,
  type RecordSource,
} from './describeFields.js'
import { planAppend, widthProblem, isNested, shortName, settleWidening } from './planAppend.js'

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

export interface AppendRouteOptions {
  catalogs: readonly string[]
  intakeOf(catalog: string): Intake
  /** Reads about tables. No long statement may run on this connection, because every append waits for it. */
  connection: DuckDBConnection
  room: DiskRoom
  /** How many columns a table may have to get new ones. */
  maxColumns: number
}

const maxBodyBytes = 64 * 1_048_576

const refuseData = (code: 'invalid-data' | 'incompatible-schema', message: string) =>
  refuse(400, code, message)

const diskFull = () =>
  refuse(
    503,
    'disk-full',
    'There is not enough free disk for more records. Nothing was accepted; send again later.',
    {
      'retry-after': '60',
    },
  )

const readBodyRecords = ({ bytes, value }: JsonBody): Record<string, unknown>[] => {
  const findHalf = halfFinder(bytes)
  const records = (Array.isArray(value) ? value : [value]) as unknown[]
  for (const [at, record] of records.entries()) {
    const where = Array.isArray(value) ? `Record ${at}` : 'The body'
    if (typeof record !== 'object' || record === null || Array.isArray(record)) {
      throw refuseData('invalid-data', `${where} is not an object.`)
    }
    const problem = checkValue(record)
    if (problem !== undefined) throw refuseData('invalid-data', `${where} ${problem}.`)
    const half = findHalf(record)
    if (half !== undefined) throw refuseData('invalid-data', `${where}: ${half}.`)
  }
  return records as Record<string, unknown>[]
}

const parameters = ['catalog', 'schema', 'table', 'sync']

/** What the contract answers with 200: a request that can be read and is not appended. */
const notAppended = new Set(['invalid-data', 'incompatible-schema', 'unknown-target'])
const isNotAppended = (error: unknown): error is HttpError =>
  error instanceof HttpError && notAppended.has(error.code)

/** `POST /append`: writes JSON records to a table, which gets new columns as they need them. */
export const appendRoute = (options: AppendRouteOptions): Route => {
  const { catalogs, intakeOf, connection, room, maxColumns } = options

  const append = async (request: IncomingMessage, search: string) => {
    const given = new URLSearchParams(search)
    checkParameters(given, parameters)
    const target = readTarget(given, catalogs)
    const sync = readSync(search)
    const intake = intakeOf(target.catalog)
    const { user } = readIdentity(request)
    intake.admit(user)
    if (await room.isShort()) throw diskFull()
    const json = parseJson(await readUnpacked(request, maxBodyBytes))
    const { bytes, text, value } = json
    const records = readBodyRecords(json)
    if (records.length === 0) return { ok: true, task_id: null, error_code: null, error_message: null }
    const fields = describeFields(records, text)

    const state = await readTable(connection, target)
    if (state.kind === 'view') throw refuseData('incompatible-schema', `${target.table} is a view.`)
    if (state.kind === 'no-schema') {
      const message = `There is no schema ${shorten(target.schema)}; make it with CREATE SCHEMA.`
      throw refuse(400, 'unknown-target', message)
    }
    const columns = state.kind === 'table' ? state.columns : undefined
    const planned = planAppend(columns, fields)
    const tooWide =
      planned.kind === 'append' && widthProblem(columns?.length ?? 0, planned.add.length, maxColumns)
    if (tooWide) throw refuseData('incompatible-schema', tooWide)
    const plan = planned.kind === 'problem' ? planned : await settleWidening(connection, target, planned)
    if (plan.kind === 'problem') throw refuseData(plan.code, plan.message)
    const body = Array.isArray(value) ? bytes : Buffer.from(`[${text}]`)
    const unfit =
      state.kind === 'table' ? await findUnfit(connection, { plan, fields, bodies: [body] }) : undefined
    if (unfit !== undefined) throw refuseData('incompatible-schema', unfit)

    const appendTarget: AppendTarget = { schema: target.schema, table: target.table, fields }
    const record = {
      kind: 'append',
      count: records.length,
      receivedAtMs: Date.now(),
      body,
      target: JSON.stringify(appendTarget),
    }
    const { taskId, deadLetter } = await intake.accept(record, sync, user)
    if (deadLetter === undefined) return { ok: true, task_id: taskId, error_code: null, error_message: null }
    const { rows, reason } = deadLetter
    const others = rows < records.length ? '; the others are stored' : ''
    const message = `${rows} of ${records.length} records were set aside${others}. The first: ${reason}`
    return { ...appendError(refuseData('incompatible-schema', message)), task_id: taskId }
  }

  return {
    method: 'POST',
    path: '/append',
    writeError: appendError,
    async handle({ request, search }) {
      try {
        return { status: 200, body: await append(request, search) }
      } catch (error) {
        if (isNotAppended(error)) return { status: 200, body: appendError(error) }
        throw error
      }
    },
  }
}
