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
  cursor: KeyColumn | undefined
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

/** Finds the columns that `primary_key` and `cursor_field` name. A comma separates names, unless a column's name contains it. */
export const readKeyColumns = ({ primaryKey, cursorField }: UpsertKey, sides: Sides): KeyColumns => {
  const isOne = findColumn(sides.columns, primaryKey) !== undefined
  const names = isOne ? [primaryKey] : primaryKey.split(',').map((name) => name.trim())
  const keys = names.map((name) => find(name, sides))
  if (new Set(keys.map(({ staged }) => staged)).size < keys.length) {
    throw refuse(400, 'invalid-parameter', `primary_key names a column twice: ${shorten(primaryKey, 200)}.`)
  }
  return { keys, cursor: cursorField === undefined ? undefined : find(cursorField, sides) }
}
