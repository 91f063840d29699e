import { createFieldRewriter } from '../json/createFieldRewriter.js'
import { splitArray } from '../json/splitArray.js'
import { standInOf } from '../privacy/personKey.js'
import type { SavedItem } from '../saved/applySaved.js'
import { doesNameId } from '../saved/savedSchema.js'
import { FrameBuffer } from '../wal/FrameBuffer.js'
import { type LogEntry, readFrame } from '../wal/segment.js'

/** A person whom the log shall no longer hold. */
export interface ErasedPerson {
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

const cleanRow = (entry: LogEntry, row: Buffer, { at, person }: { at: number; person: ErasedPerson }) => {
  const ids = new Set(person.ids)
  if (entry.kind === 'save') return cleanSaved(row, person, ids)
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

const kinds = new Set(['track', 'identify', 'alias', 'save'])

const cleanEntry = (entry: LogEntry, before: number, person: ErasedPerson): LogEntry => {
  const first = before + entry.first
  const isSetAside = person.rejected.some((at) => at >= first && at < first + entry.count)
  // A filter in an address has its signs as percent codes.
  const isSearched = entry.kind === 'save' || isSetAside || mayHold(entry.body, person.ids)
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
