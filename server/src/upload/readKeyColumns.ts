import type { Column } from '../append/planAppend.js'
import { refuse } from '../http/HttpError.js'
import { shorten } from '../json/shorten.js'
import { findColumn } from './openFile.js'
import type { UpsertKey } from './readUpload.js'
import type { FileColumn } from './textTypes.js'

export interface KeyColumn {
  /** The column's name in the table. */
  name: string
  /** The column's name in the staged rows. */
  staged: string
}

export interface KeyColumns {
  keys: KeyColumn[]
  /** Empty without a `cursor_field`. */
  cursor: KeyColumn[]
}

interface Sides {
  columns: readonly FileColumn[]
  /** Undefined when the file makes the table. */
  known: readonly Column[] | undefined
}

const find = (name: string, { columns, known }: Sides): KeyColumn => {
  const inFile = findColumn(columns, name)
  const inTable = known === undefined ? inFile : findColumn(known, name)
  const quoted = JSON.stringify(name)
  if (inFile === undefined) throw refuse(400, 'invalid-upload', `The file has no column ${quoted}.`)
  if (inTable === undefined) throw refuse(400, 'invalid-upload', `The table has no column ${quoted}.`)
  return { name: inTable.name, staged: `c${columns.indexOf(inFile)}` }
}

/** A comma separates names, unless a column's name contains it. */
const findAll = (text: string, sides: Sides): KeyColumn[] => {
  const isOne = findColumn(sides.columns, text) !== undefined
  const names = isOne ? [text] : text.split(',').map((name) => name.trim())
  return names.map((name) => find(name, sides))
}

/** Finds the columns that `primary_key` and `cursor_field` name. */
export const readKeyColumns = ({ primaryKey, cursorField }: UpsertKey, sides: Sides): KeyColumns => {
  const keys = findAll(primaryKey, sides)
  if (new Set(keys.map(({ staged }) => staged)).size < keys.length) {
    throw refuse(400, 'invalid-parameter', `primary_key names a column twice: ${shorten(primaryKey, 200)}.`)
  }
  return { keys, cursor: cursorField === undefined ? [] : findAll(cursorField, sides) }
}
