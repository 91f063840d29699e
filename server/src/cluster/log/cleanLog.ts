import { setTimeout as delay } from 'node:timers/promises'
import { alertKind } from '../../alerts/alert.js'
import { lockKeys, withoutSamples } from '../logSchema.js'
import { readTuples } from './readLog.js'
import type { LogAddress } from '../../options/values.js'
import { ServerConnection } from '../ServerConnection.js'
import { createFieldRewriter } from '../../http/json/createFieldRewriter.js'
import { splitArray } from '../../http/json/sliceItems.js'
import { standInOf } from '../../payloads/erasure.js'
import { doesNameId, doesSumNameId } from '../../schema/namesId.js'
import type { SavedItem } from '../../saved/savedSchema.js'
import { FrameBuffer } from '../../wal/GroupCommit.js'
import { type LogEntry, readFrame } from '../../wal/segment.js'

/** A person whom the log shall no longer hold. */
interface ErasedPerson {
  task: string
  environment: string
  ids: readonly string[]
  /** The rows of the person that were set aside. */
  rejected: readonly number[]
}

const idFields = ['distinct_id', 'anonymous_id', 'new_user_id']
const readFields = new Set(['environment', ...idFields])
const saltBytes = 8
const frames = new FrameBuffer()

/** The values of a row's own fields, each as often as it comes: DuckDB reads the first one, JavaScript the last. */
const readRow = (row: Buffer) => {
  const values: Record<string, string[]> = {}
  const rewrite = (token: string, field: string) => {
    ;(values[field] ??= []).push(String(JSON.parse(token)))
    return token
  }
  createFieldRewriter({ fields: readFields, rewrite }).feed(row)
  return values
}

/** The row without some ids. Every other byte stays as it is. */
const withoutIds = (row: Buffer, ids: ReadonlySet<string>) =>
  createFieldRewriter({
    fields: new Set(idFields),
    rewrite: (token) => (ids.has(String(JSON.parse(token))) ? 'null' : token),
  }).feed(row)

const given = (value: string | undefined) => (value === '' ? undefined : value)

/** Whose row it is, as the store reads it; undefined for a visitor whom no id names. */
const ownerOf = ({ kind, target }: LogEntry, row: Record<string, string[]>): string | undefined => {
  const [distinct, anonymous] = [given(row['distinct_id']?.[0]), given(row['anonymous_id']?.[0])]
  if (kind !== 'track') return distinct
  if (target?.includes('"visitor":')) return undefined
  return target?.includes('"key":"public"') ? (anonymous ?? distinct) : (distinct ?? anonymous)
}

/** Name and insert id of an event stay, because a second copy may come: it must not be stored by any process. */
const copyOf = (row: Buffer, ids: ReadonlySet<string>): object => {
  const { event, properties } = JSON.parse(row.toString()) as {
    event: string
    properties?: { insert_id?: unknown }
  }
  const id = properties?.insert_id
  return typeof id === 'string' && ![...ids].some((each) => id.includes(each) || event.includes(each))
    ? { event, properties: { insert_id: id } }
    : { event: 'erased', properties: {} }
}

/**
 * The row that takes the place of one of a person's: of the same kind, about nobody. A process that reads it stores it
 * as an event or id of the stand-in, which the erase removes from its store.
 */
const standInFor = (
  kind: string,
  row: Buffer,
  { task, environment }: ErasedPerson,
  ids: ReadonlySet<string>,
): Buffer => {
  const id = standInOf(task)
  if (kind === 'alias') return Buffer.from(JSON.stringify({ environment, distinct_id: id, new_user_id: id }))
  if (kind === 'identify') return Buffer.from(JSON.stringify({ environment, distinct_id: id }))
  return Buffer.from(JSON.stringify({ environment, ...copyOf(row, ids), distinct_id: id }))
}

/** An event that was set aside is set aside again: without an environment it cannot be stored. */
const setAsideFor = ({ task }: ErasedPerson) => Buffer.from(JSON.stringify({ distinct_id: standInOf(task) }))

/** Removes saved values that name an id, under the names that they had unless these name it, too. */
const cleanSaved = (row: Buffer, { task }: ErasedPerson, ids: ReadonlySet<string>): Buffer => {
  const { was, ...item } = JSON.parse(row.toString()) as SavedItem
  const names = (name: string, value: object) => [...ids].some((id) => doesNameId({ name, value }, id))
  const isOld = typeof was === 'string' && names(was, {})
  if (!isOld && !names(item.name, item.value ?? {})) return row
  const name = names(item.name, {}) ? standInOf(task) : item.name
  const value = names(name, item.value ?? {}) ? null : item.value
  return Buffer.from(JSON.stringify({ ...item, name, value, ...(!isOld && { was }) }))
}

/** What an alert has found under a name, or of a question, that names an id, is of no alert. */
const cleanNews = (row: Buffer, ids: ReadonlySet<string>): Buffer => {
  const { name, message } = JSON.parse(row.toString()) as { name: string; message?: object }
  const isNamed = [...ids].some((id) => doesNameId({ name, value: message ?? {} }, id))
  return isNamed ? Buffer.from('{"kind":"erased"}') : row
}

/** A sum that names an id is no more: the store passes an empty row by. */
const cleanSum = (row: Buffer, { environment, ids }: ErasedPerson): Buffer => {
  const sum = JSON.parse(row.toString()) as { environment?: string; value?: string }
  const isNamed = sum.environment === environment && ids.some((id) => doesSumNameId(sum.value ?? '', id))
  return isNamed ? Buffer.from('{}') : row
}

const cleanRow = (entry: LogEntry, row: Buffer, { at, person }: { at: number; person: ErasedPerson }) => {
  const ids = new Set(person.ids)
  if (entry.kind === 'save') return cleanSaved(row, person, ids)
  if (entry.kind === alertKind) return cleanNews(row, ids)
  if (entry.kind === 'sums') return person.rejected.includes(at) ? Buffer.from('{}') : cleanSum(row, person)
  if (person.rejected.includes(at))
    return entry.kind === 'track' ? setAsideFor(person) : standInFor(entry.kind, row, person, ids)
  const values = readRow(row)
  if (values['environment']?.[0] !== person.environment) return row
  if (!idFields.some((field) => values[field]?.some((id) => ids.has(id)))) return row
  // Two ids that were made one are ids of one person.
  const isTheirs = entry.kind === 'alias' || ids.has(ownerOf(entry, values) ?? '')
  return isTheirs ? standInFor(entry.kind, row, person, ids) : withoutIds(row, ids)
}

/** Whether a body may hold an id: as it is, or written with escapes. */
const mayHold = (body: Buffer, ids: readonly string[]) =>
  body.includes('\\') || ids.some((id) => body.includes(id))

const kinds = new Set(['track', 'identify', 'alias', 'save', alertKind, 'sums'])
/** A filter or a page in an address has its signs as percent codes. */
const withAddresses = new Set(['save', alertKind, 'sums'])

const cleanEntry = (entry: LogEntry, before: number, person: ErasedPerson): LogEntry => {
  const first = before + entry.first
  const isSetAside = person.rejected.some((at) => at >= first && at < first + entry.count)
  const isSearched = withAddresses.has(entry.kind) || isSetAside || mayHold(entry.body, person.ids)
  if (!kinds.has(entry.kind) || !isSearched) return entry
  const rows = splitArray(entry.body)
  const cleaned = rows.map((row, at) => cleanRow(entry, row, { at: first + at, person }))
  if (cleaned.every((row, at) => row.equals(rows[at]!))) return entry
  return { ...entry, body: Buffer.from(`[${cleaned.map(String).join()}]`) }
}

/**
 * Takes persons out of a group of the log; undefined when it holds nothing of them. The rows keep their numbers and
 * the group keeps its salt, by which processes know it. `last` is the sequence of its last row.
 */
export const cleanGroup = (
  body: Buffer,
  last: number,
  persons: readonly ErasedPerson[],
): Buffer | undefined => {
  const salt = body.subarray(0, saltBytes)
  const frame = readFrame(body, 0, salt)
  if (frame === undefined) throw new Error(`The log's group that ends with row ${last} is damaged.`)
  const before = last - frame.last
  const records = frame.entries.map((entry) =>
    persons.reduce((cleaned, person) => cleanEntry(cleaned, before, person), entry),
  )
  if (records.every((record, at) => record === frame.entries[at])) return undefined
  return Buffer.from(frames.write({ salt, first: 1, records }))
}

const withinMs = 600_000
const pieceBytes = 2 ** 24
const againMs = 100

/** The groups of the next piece: at least one. */
const pieceSql = (after: number) => `
SELECT last::float8, body FROM (
  SELECT last, body, sum(length(body)) OVER (ORDER BY last ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
  FROM (SELECT last, body FROM waymark.log WHERE last > ${after} ORDER BY last LIMIT 1000) AS next
) AS counted WHERE coalesce(before, 0) < ${pieceBytes} ORDER BY last`

const beginSql = `
SET synchronous_commit = off;
DROP TABLE IF EXISTS waymark.log_new;
CREATE TABLE waymark.log_new (LIKE waymark.log INCLUDING ALL);
${withoutSamples('log_new')}`

/** Copies the groups of one piece, with other bodies for those that hold something of the persons; gives the last one. */
const copyPiece = async (
  connection: ServerConnection,
  after: number,
  persons: readonly ErasedPerson[],
): Promise<number | undefined> => {
  const groups = readTuples(await connection.copyOut(pieceSql(after), withinMs)).map(([last, body]) => ({
    last: last!.readDoubleBE(),
    body: body!,
  }))
  const end = groups.at(-1)?.last
  if (end === undefined) return undefined
  const changed: { last: number; body: Buffer }[] = []
  for (const { last, body } of groups) {
    const cleaned = cleanGroup(body, last, persons)
    if (cleaned !== undefined) changed.push({ last, body: cleaned })
  }
  await connection.ask(
    `INSERT INTO waymark.log_new SELECT * FROM waymark.log
     WHERE last > $1 AND last <= $2 AND last <> ALL ($3::bigint[])`,
    [after, end, changed.map(({ last }) => last)],
    withinMs,
  )
  for (const { last, body } of changed) {
    await connection.ask(
      `INSERT INTO waymark.log_new (last, rows, body, stamped)
       SELECT last, rows, $2::bytea, stamped FROM waymark.log WHERE last = $1`,
      [last, body],
    )
  }
  return end
}

/** Puts the new table in the place of the old one. What was appended after `copied` is copied while nobody appends. */
const swap = async (
  connection: ServerConnection,
  copied: number,
  tasks: readonly string[],
): Promise<boolean> => {
  try {
    await connection.ask(
      `BEGIN; SET LOCAL synchronous_commit = on; SET LOCAL lock_timeout = '500ms';
       LOCK TABLE waymark.log IN ACCESS EXCLUSIVE MODE`,
    )
    await connection.ask('INSERT INTO waymark.log_new SELECT * FROM waymark.log WHERE last > $1', [copied])
    await connection.ask('UPDATE waymark.erasures SET clean = true WHERE task = ANY ($1::text[])', [tasks])
    await connection.ask(
      'DROP TABLE waymark.log; ALTER TABLE waymark.log_new RENAME TO log; COMMIT',
      [],
      withinMs,
    )
    return true
  } catch (error) {
    if (connection.closed !== undefined) throw error
    await connection.ask('ROLLBACK')
    // Somebody reads the log for long. Who waits for the lock keeps all others waiting, so it is given up for a while.
    if ((error as { code?: string }).code === '55P03') return false
    throw error
  }
}

/** The reasons why rows could not be stored may quote them. That there were such rows stays. */
const cleanReasons = async (connection: ServerConnection, ids: readonly string[]): Promise<void> => {
  const changed = await connection.ask(
    `UPDATE waymark.set_aside SET reason = 'It named a person who was erased.'
     WHERE EXISTS (SELECT FROM unnest($1::text[]) AS id WHERE position(id IN reason) > 0) RETURNING request`,
    [ids],
  )
  if (changed.length > 0) await connection.ask('VACUUM FULL waymark.set_aside', [], withinMs)
}

interface Cleaned {
  persons: readonly ErasedPerson[]
  /** The last row that may hold something of them. */
  through: number
}

const clean = async (connection: ServerConnection, { persons, through }: Cleaned): Promise<void> => {
  const tasks = persons.map(({ task }) => task)
  const [state] = await connection.ask<{ done: boolean; waits: boolean }>(
    `SELECT bool_and(clean) AS done, EXISTS (
       SELECT FROM waymark.erasures WHERE NOT clean AND sequence < $2 AND task <> ALL ($1::text[])) AS waits
     FROM waymark.erasures WHERE task = ANY ($1::text[])`,
    [tasks, through],
  )
  if (state!.done) return
  // A process that comes to the erase before this one must find the ids of that one in what it reads before it.
  if (state!.waits) throw new Error('an erase before this one is not finished')
  await cleanReasons(
    connection,
    persons.flatMap(({ ids }) => ids),
  )
  await connection.ask(beginSql)
  let copied = 0
  for (;;) {
    const end = await copyPiece(connection, copied, persons)
    if (end !== undefined) {
      copied = end
      continue
    }
    if (await swap(connection, copied, tasks)) return
    await delay(againMs)
  }
}

/**
 * Takes persons out of the log. It is copied to a new table, because PostgreSQL leaves the bytes of deleted and
 * changed rows in a table's file. Readers see the old log or the new one, and nobody who appends waits but for the
 * newest groups to be copied. The lock keeps others from cleaning, and from pruning: rows that are deleted during the
 * copy would leave a gap.
 */
export const cleanLog = async (address: LogAddress, cleaned: Cleaned): Promise<void> => {
  const connection = await ServerConnection.open(address, { applicationName: 'waymark clean' })
  try {
    const [lock] = await connection.ask<{ held: boolean }>(
      `SELECT pg_try_advisory_lock(${lockKeys.prune}) AS held`,
    )
    if (lock?.held !== true) throw new Error('another process cleans or prunes the log')
    await clean(connection, cleaned)
  } finally {
    connection.close('it is done')
  }
}
