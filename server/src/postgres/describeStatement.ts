import { type DuckDBConnection, type DuckDBType, DuckDBTypeId } from '@duckdb/node-api'
import { applyEdits, type Edit } from '../sql/text/edits.js'
import type { Guard } from '../sql/guard/Guard.js'
import { operandBefore } from '../sql/text/operands.js'
import { readHead } from '../sql/text/readHead.js'
import { type Plan, planStatement, refuseNumbers } from '../sql/planStatement.js'
import { tryPrepare, onlyReads } from '../sql/prepareOne.js'
import { ProtocolError, sqlState } from './ProtocolError.js'
import { sqlTypeOf } from './messages/readParameter.js'
import { storageOf, typesNamed } from './catalog/shapes.js'
import { fieldOfType } from './catalog/typeTables.js'
import { columnNames } from './rewrite/columnNames.js'
import { findParameters, type ParameterMark, type Statement } from './statements/statements.js'
import { type Field, fieldOf, oidOfName } from './types.js'

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
  const prepared = await tryPrepare(connection, text)
  const oids = Array.from({ length: count }, (_, at) => {
    try {
      const type = prepared?.parameterType(at + 1)
      return type === undefined || unknownTypes.has(type.typeId) ? 0 : fieldOf('', type).oid
    } catch {
      return 0
    }
  })
  prepared?.destroySync()
  return oids
}

/** `x = ANY ($1)` in the form from which DuckDB infers that `$1` is a list. */
const asLists = ({ tokens }: Statement, marks: readonly ParameterMark[]): Edit[] =>
  marks.flatMap((mark): Edit[] => {
    const sign = mark.kind === 'members' ? tokens.findIndex(({ start }) => start === mark.start) : -1
    const first = sign > 0 ? operandBefore(tokens, sign - 1) : undefined
    if (first === undefined) return []
    const at = tokens[first]!.start
    return [
      { start: at, end: at, text: `list_contains($${mark.number}, ` },
      { start: mark.start, end: mark.end, text: ')' },
    ]
  })

/** The columns of a statement, by the names that Postgres would give them. */
export const fieldsOf = (
  { tokens }: Statement,
  { names, types }: { names: readonly string[]; types: readonly DuckDBType[] },
): Field[] => {
  const ofCatalog = typesNamed(tokens)
  return columnNames(tokens, names).map((name, at) => {
    const field = fieldOf(name, types[at]!)
    const type = ofCatalog.get(name)
    if (type !== undefined && storageOf(type) === types[at]!.toString()) return { name, ...fieldOfType(type) }
    // asyncpg asks what a list of int8 is by a statement that has a list of oids, and would ask for ever.
    return name === 'attrtypoids' ? { ...field, oid: oidOfName('oid[]')! } : field
  })
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
  // A type that the statement names is the type that Postgres would tell.
  for (const { number, cast } of marks)
    if (oids[number - 1] === 0 && cast !== undefined) oids[number - 1] = oidOfName(cast) ?? 0
  if (oids.includes(0)) {
    const text = applyEdits(statement.text, [...edits, ...asLists(statement, marks)])
    const guarded = guard.check(text)
    if (!('problem' in guarded)) refuseNumbers(connection, guarded)
    const inferred = 'problem' in guarded ? [] : await inferOids(connection, guarded.text, count)
    oids = oids.map((oid, at) => (oid === 0 ? (inferred[at] ?? 0) : oid))
  }
  const planWith = (unknown: string) => {
    const nullOf = {
      value: (oid: number) => (oid === 0 ? unknown : `CAST(NULL AS ${sqlTypeOf(oid)})`),
      list: () => '[]',
      members: () => ' IN (NULL)',
    }
    const nulls = marks.map(({ number, start, end, kind }) => ({
      start,
      end,
      text: nullOf[kind](oids[number - 1]!),
    }))
    return planStatement(connection, guard, applyEdits(statement.text, [...edits, ...nulls]))
  }
  // A value of a type that is not known is a text, as in Postgres; but a text fits not everywhere.
  const plan = await planWith('CAST(NULL AS VARCHAR)').catch((error: unknown) => {
    if (!oids.includes(0)) throw error
    return planWith('NULL')
  })
  try {
    admitReading(plan)
    return { oids, fields: hasRows(plan) ? fieldsOf(statement, plan) : undefined }
  } finally {
    plan.prepared.destroySync()
  }
}
