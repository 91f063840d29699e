import type { Column } from '../append/planAppend.js'
import { refuse } from '../http/HttpError.js'
import { shorten } from '../json/shorten.js'
import { findColumn } from './openFile.js'
import type { UpsertKey } from './readUpload.js'
import type { FileColumn } from './textTypes.js'

export interface KeyColumn {
  /** In the table. */
  name: string
  /** In the staged rows. */
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
  const told = JSON.stringify(name)
  if (inFile === undefined) throw refuse(400, 'invalid-upload', `The file has no column ${told}.`)
  if (inTable === undefined) throw refuse(400, 'invalid-upload', `The table has no column ${told}.`)
  return { name: inTable.name, staged: `c${columns.indexOf(inFile)}` }
}

/** The columns that `primary_key` and `cursor_field` name. A comma parts names, unless a column has it in its name. */
export const readKeyColumns = ({ primaryKey, cursorField }: UpsertKey, sides: Sides): KeyColumns => {
  const isOne = findColumn(sides.columns, primaryKey) !== undefined
  const names = isOne ? [primaryKey] : primaryKey.split(',').map((name) => name.trim())
  const keys = names.map((name) => find(name, sides))
  if (new Set(keys.map(({ staged }) => staged)).size < keys.length) {
    throw refuse(400, 'invalid-parameter', `primary_key names a column twice: ${shorten(primaryKey, 200)}.`)
  }
  return { keys, cursor: cursorField === undefined ? undefined : find(cursorField, sides) }
}
