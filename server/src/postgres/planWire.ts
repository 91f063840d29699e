import { type DuckDBConnection, DuckDBTypeId } from '@duckdb/node-api'
import { applyEdits, type Edit } from '../sql/guard/applyEdits.js'
import type { Guard } from '../sql/guard/Guard.js'
import { readHead } from '../sql/guard/readHead.js'
import { onlyReads } from '../sql/onlyReads.js'
import { type Plan, planStatement } from '../sql/planStatement.js'
import { prepareOne } from '../sql/prepareOne.js'
import { refuseNumbers } from '../sql/refuseNumbers.js'
import { ProtocolError, sqlState } from './ProtocolError.js'
import { sqlTypeOf } from './readParameter.js'
import { findParameters, type Statement } from './statements.js'
import { type Field, fieldOf, oidOfTypeId } from './types.js'

/** What is known of a statement before it runs. */
export interface Described {
  /** The types of the parameters, for the client. */
  oids: number[]
  /** Undefined for a statement without rows. */
  fields: readonly Field[] | undefined
}

export const refusalOfWrite = () =>
  new ProtocolError(
    sqlState.readOnly,
    'By the Postgres protocol this service is for reading only: send what changes something by POST /query.',
  )

/** Throws for a statement that changes something: by the Postgres protocol the service only reads. */
export const admitReading = (plan: Plan): void => {
  if (onlyReads(plan)) return
  const { tokens } = plan
  const isExplain = /^explain$/i.test(tokens[0]!.text)
  throw new ProtocolError(
    sqlState.readOnly,
    `By the Postgres protocol this service is for reading only: send ${isExplain ? 'EXPLAIN of a change' : readHead(tokens).verb.toUpperCase()} by POST /query.`,
  )
}

/** Whether a statement returns rows; SET and USE return none. */
export const hasRows = ({ kind, tokens }: Plan): boolean =>
  kind === 'read' || kind === 'change' || (kind === 'other' && !/^set$/i.test(tokens[0]!.text))

const unknownTypes: ReadonlySet<DuckDBTypeId> = new Set([
  DuckDBTypeId.INVALID,
  DuckDBTypeId.ANY,
  DuckDBTypeId.SQLNULL,
])

/** Asks DuckDB for the types of parameters, which it infers from the SQL around them; 0 where it cannot. */
const inferOids = async (connection: DuckDBConnection, text: string, count: number): Promise<number[]> => {
  const prepared = await prepareOne(connection, text).catch(() => undefined)
  const oids = Array.from({ length: count }, (_, at) => {
    try {
      const id = prepared?.parameterTypeId(at + 1) ?? DuckDBTypeId.INVALID
      return unknownTypes.has(id) ? 0 : oidOfTypeId(id)
    } catch {
      return 0
    }
  })
  prepared?.destroySync()
  return oids
}

export interface ToDescribe {
  statement: Statement
  /** These edits make DuckDB's SQL of the statement. */
  edits: readonly Edit[]
  /** The parameters' types, as far as the client gave them. */
  oids: readonly number[]
}

/** Plans a statement with NULL instead of each parameter, and finds the types of its parameters and columns. */
export const describeStatement = async (
  connection: DuckDBConnection,
  guard: Guard,
  { statement, edits, oids: given }: ToDescribe,
): Promise<Described> => {
  const marks = findParameters(statement)
  const count = Math.max(given.length, ...marks.map(({ number }) => number))
  let oids = Array.from({ length: count }, (_, at) => given[at] ?? 0)
  if (oids.includes(0)) {
    const text = applyEdits(statement.text, edits)
    const guarded = guard.check(text)
    if (!('problem' in guarded)) refuseNumbers(connection, guarded)
    const inferred = 'problem' in guarded ? [] : await inferOids(connection, guarded.text, count)
    oids = oids.map((oid, at) => (oid === 0 ? (inferred[at] ?? 0) : oid))
  }
  const nullOf = {
    value: (oid: number) => `CAST(NULL AS ${sqlTypeOf(oid)})`,
    list: () => '[]',
    members: () => ' IN (NULL)',
  }
  const nulls = marks.map(({ number, start, end, kind }) => ({
    start,
    end,
    text: nullOf[kind](oids[number - 1]!),
  }))
  const plan = await planStatement(connection, guard, applyEdits(statement.text, [...edits, ...nulls]))
  try {
    admitReading(plan)
    const fields = hasRows(plan) ? plan.names.map((name, at) => fieldOf(name, plan.types[at]!)) : undefined
    return { oids, fields }
  } finally {
    plan.prepared.destroySync()
  }
}
