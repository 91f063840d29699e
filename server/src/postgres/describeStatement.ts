import { type DuckDBConnection, type DuckDBType, DuckDBTypeId } from '@duckdb/node-api'
import { applyEdits, type Edit } from '../sql/text/edits.js'
import type { Guard } from '../sql/guard/Guard.js'
import { operandAt, operandBefore } from '../sql/text/operands.js'
import { readHead } from '../sql/text/readHead.js'
import { type Plan, planStatement, refuseNumbers } from '../sql/planStatement.js'
import { tryPrepare, onlyReads } from '../sql/prepareOne.js'
import { ProtocolError, sqlState } from './ProtocolError.js'
import { sqlTypeOf } from './messages/readParameter.js'
import { storageOf, typeOfValue, typeShown, typesNamed } from './catalog/shapes.js'
import { fieldOfType } from './catalog/typeTables.js'
import { columnsShown, type Figure } from './rewrite/columnNames.js'
import {
  findParameters,
  innerEdits,
  type ParameterMark,
  placeError,
  type Statement,
} from './statements/statements.js'
import { isFatal } from '../duckdb/transactions.js'
import { isSymbol, isUnmatched, type SqlToken, tokenize, wordOf } from '../sql/text/tokenize.js'
import {
  type Field,
  fieldOf,
  type PostgresType,
  itemTypeOfOid,
  oidOfName,
  textField,
  typeOfOid,
} from './types.js'

/** What is known of a statement before it runs. */
export interface Described {
  /** The types of the parameters, for the client. */
  oids: number[]
  /** Whether texts are written without a type, because with one the statement is none that DuckDB takes. */
  isLoose?: boolean
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
  const verb = isExplain(plan) ? 'EXPLAIN of a change' : readHead(tokens).verb.toUpperCase()
  // dbt makes its models so.
  const ofDbt = /^(CREATE|ALTER|DROP)$/.test(verb) ? "; dbt's models are `ephemeral` here" : ''
  throw new ProtocolError(
    sqlState.readOnly,
    `By the Postgres protocol this service is for reading only: send ${verb} by POST /query${ofDbt}.`,
  )
}

export const isExplain = ({ tokens }: Plan): boolean => /^explain$/i.test(tokens[0]!.text)

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
const asList = ({ tokens }: Statement, mark: ParameterMark): Edit[] => {
  const first = mark.kind === 'members' ? operandBefore(tokens, mark.at - 1) : undefined
  if (first === undefined) return []
  const at = tokens[first]!.start
  return [
    { start: at, end: at, text: `list_contains($${mark.number}, ` },
    { start: mark.start, end: mark.end, text: ')' },
  ]
}

/** Whether the value is written with its cast to `numeric`, which the statement leaves out. */
const isNumeric = ({ kind, cast }: ParameterMark) => kind === 'value' && cast === 'numeric'

const asNumeric = (mark: ParameterMark): Edit[] => {
  const { number, start, end } = mark
  const type = sqlTypeOf(oidOfName('numeric')!)
  return isNumeric(mark) ? [{ start, end, text: `CAST($${number} AS ${type})` }] : []
}

/** An operand in brackets is read once more for each parameter around it. */
const mostLookedAt = 500

const joins = (token: SqlToken | undefined) => token?.kind === 'symbol' && /^[-+*/%|]$/.test(token.text)

/**
 * `x - $1` in the form from which DuckDB infers that `$1` has the type of `x`: Postgres takes the operand of an
 * operator whose type it does not know for one of the other's type.
 */
const likeOther = (
  { text, tokens }: Statement,
  mark: ParameterMark,
  editsWithin: (start: number, end: number) => Edit[],
): Edit[] => {
  if (mark.kind !== 'value' || mark.cast !== undefined) return []
  const { at } = mark
  let left = at
  while (joins(tokens[left - 1])) left--
  let right = at + 2
  while (joins(tokens[right])) right++
  const first = left < at ? operandBefore(tokens, left - 1) : undefined
  const last = first === undefined && right > at + 2 ? operandAt(tokens, right) : undefined
  const range = first === undefined ? { first: right, last } : { first, last: left - 1 }
  if (range.last === undefined || range.last - range.first > mostLookedAt) return []
  const { start } = tokens[range.first]!
  const { end } = tokens[range.last]!
  const inner = editsWithin(start, end)
  // What begins or ends beside the operand may belong to more than it.
  const own = inner.filter((edit) => edit.end > edit.start || (edit.start > start && edit.end < end))
  const other = [inner, own]
    .map((each) => applyEdits(text.slice(start, end), innerEdits({ start }, each)))
    .find((each) => !tokenize(each).tokens.some(isUnmatched))
  // Postgres does not know the types in `$1 + $2` either.
  if (other === undefined || /^\$\d+$/.test(other)) return []
  return [{ start: mark.start, end: mark.end, text: `CASE WHEN true THEN $${mark.number} ELSE ${other} END` }]
}

/** The edits that give parameters the types of the operands beside them. */
export const likeOthers = (
  statement: Statement,
  marks: readonly ParameterMark[],
  edits: readonly Edit[],
): Edit[] => {
  const sorted = edits.toSorted((a, b) => a.start - b.start)
  const editsWithin = (start: number, end: number) => {
    let [from, to] = [0, sorted.length]
    while (from < to) {
      const middle = (from + to) >> 1
      if (sorted[middle]!.start < start) from = middle + 1
      else to = middle
    }
    const found: Edit[] = []
    for (; from < sorted.length && sorted[from]!.start <= end; from++)
      if (sorted[from]!.end <= end) found.push(sorted[from]!)
    return found
  }
  return marks.flatMap((mark) => likeOther(statement, mark, editsWithin))
}

const oidsOfText: ReadonlySet<number> = new Set(
  ['text', 'varchar', 'bpchar', 'name'].map((name) => oidOfName(name)!),
)

/** Behind `||` stands a text, or what is joined in another way: a list, bytes or JSON. */
const isJoined = ({ tokens }: Statement, { at, kind }: ParameterMark): boolean =>
  kind === 'value' && (isSymbol(tokens[at - 1], '|') || isSymbol(tokens[at + 2], '|'))
const canJoin = (oid: number) =>
  oidsOfText.has(oid) ||
  itemTypeOfOid(oid) !== undefined ||
  /^(bytea|jsonb?)$/.test(typeOfOid(oid)?.name ?? '')

/** Types that DuckDB has not, by a cast to them, or by the function that gives them. */
const toldAs = ({ oid }: Field, figure: Figure | undefined): PostgresType | undefined => {
  const of = typeOfOid(oid)?.name
  const by = figure?.type ?? (figure?.isCall === true ? figure.name : '')
  const name = /^(to_)?jsonb(?!_array_length|_typeof)/.test(by) ? 'jsonb' : by
  if (of === 'text' && /^(varchar|bpchar|name)$/.test(name)) return typeOfOid(oidOfName(name)!)
  if (of === 'json' && name === 'jsonb') return typeOfOid(oidOfName('jsonb')!)
  if (of === 'int8' && name === 'oid') return typeOfOid(oidOfName('oid')!)
  if (of === 'int8' && /^(position|ntile|grouping|generate_subscripts)$/.test(name))
    return typeOfOid(oidOfName('int4')!)
  return undefined
}

/** Whether DuckDB has values of a type of the catalog's as such; objects are shown by their names, too. */
const isStored = (type: string, by: DuckDBType): boolean =>
  storageOf(type) === by.toString() || (type.startsWith('reg') && by.typeId === DuckDBTypeId.VARCHAR)

/** The columns of a statement, by the names that Postgres would give them. */
export const fieldsOf = (
  { tokens }: Statement,
  { names, types }: { names: readonly string[]; types: readonly DuckDBType[] },
): Field[] => {
  const ofCatalog = typesNamed(tokens)
  return columnsShown(tokens, names).map(({ name, shown, figure }, at) => {
    const field = fieldOf(name, types[at]!)
    // In Postgres a NULL alone is a text.
    if (shown !== undefined && shown.first === shown.last && wordOf(tokens[shown.first]) === 'null')
      return textField(name)
    const type =
      shown === undefined ? (ofCatalog.get(name) ?? typeOfValue(name)) : typeShown(tokens, shown, ofCatalog)
    const told = type !== undefined && isStored(type, types[at]!) ? fieldOfType(type) : undefined
    if (told !== undefined) return { name, ...told }
    const own = toldAs(field, figure)
    if (own !== undefined) return { name, oid: own.oid, size: own.size, modifier: -1 }
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

/** A value of each type, for a statement that DuckDB describes by its values alone. */
const samples: Readonly<Record<string, string>> = {
  bool: 'true',
  date: '2000-01-01',
  timestamp: '2000-01-01 00:00:00',
  timestamptz: '2000-01-01 00:00:00+00',
  time: '00:00:00',
  timetz: '00:00:00+00',
  interval: '1 day',
  uuid: '00000000-0000-0000-0000-000000000000',
}

/**
 * What stands for a parameter while its statement is described. A parameter of DuckDB's own gives each column the
 * type that it has when the statement runs; but functions in FROM, and what must be constant, take none.
 */
const standIns: ((number: number, type: string, oid: number) => string)[] = [
  (number, type) => `CAST($${number} AS ${type})`,
  (_, type, oid) => {
    const sample = `'${samples[typeOfOid(oid)?.name ?? ''] ?? '1'}'`
    if (itemTypeOfOid(oid) !== undefined) return `CAST([] AS ${type})`
    return oid === 0 || oidsOfText.has(oid) ? sample : `CAST(${sample} AS ${type})`
  },
  (_, type, oid) => (oid === 0 ? 'NULL' : `CAST(NULL AS ${type})`),
]

/** Plans a statement without the values of its parameters, and finds the types of its parameters and columns. */
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
  const infer = async (ofOthers: boolean) => {
    const lists = marks.flatMap((mark) => asList(statement, mark))
    const known = [...edits, ...marks.flatMap(asNumeric)]
    const more = ofOthers ? [...lists, ...likeOthers(statement, marks, known)] : lists
    const guarded = guard.check(applyEdits(statement.text, [...known, ...more]), true)
    if (!('problem' in guarded)) refuseNumbers(connection, guarded)
    const inferred = 'problem' in guarded ? [] : await inferOids(connection, guarded.text, count)
    oids = oids.map((oid, at) => (oid === 0 ? (inferred[at] ?? 0) : oid))
  }
  if (oids.includes(0)) await infer(true)
  if (oids.includes(0)) await infer(false)
  for (const mark of marks) {
    const at = mark.number - 1
    if (mark.cast === undefined && given[at] !== oids[at] && isJoined(statement, mark) && !canJoin(oids[at]!))
      oids[at] = 0
  }
  let failure: unknown
  for (const [nth, standIn] of standIns.entries()) {
    const edited = marks.map((mark) => {
      const { number, start, end, kind } = mark
      const oid = isNumeric(mark) ? oidOfName('numeric')! : oids[number - 1]!
      if (kind !== 'members') return { start, end, text: standIn(number, sqlTypeOf(oid), oid) }
      const item = itemTypeOfOid(oid)
      return { start, end, text: ` IN (${standIn(number, item?.sql ?? 'VARCHAR', item?.oid ?? 0)})` }
    })
    try {
      const described = applyEdits(statement.text, [...edits, ...edited])
      const plan = await planStatement(connection, guard, { described })
      try {
        admitReading(plan)
        const fields = isExplain(plan) ? [textField('QUERY PLAN')] : fieldsOf(statement, plan)
        return { oids, isLoose: nth > 0, fields: hasRows(plan) ? fields : undefined }
      } finally {
        plan.prepared.destroySync()
      }
    } catch (error) {
      if (marks.length === 0 || isFatal(error)) throw error
      // With NULL in their place the error is about no type that was only assumed.
      if (failure === undefined || oids.includes(0))
        failure = placeError(error, statement, [...edits, ...edited])
    }
  }
  throw failure
}
