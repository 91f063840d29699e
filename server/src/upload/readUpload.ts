import { readTarget, type Target } from '../append/Target.js'
import { checkParameters } from '../http/readJson.js'
import { refuse } from '../http/HttpError.js'
import type { CsvDialect } from './createCsvReader.js'
import type { FileFormat } from './decodeBody.js'

export type UploadMode = 'create' | 'append' | 'create_append' | 'upsert' | 'overwrite'

/** The columns by which the rows of a file are matched with those of the table. */
export interface UpsertKey {
  /** The parameter as it was sent: the name of a column, or several separated by commas. */
  primaryKey: string
  /** When two rows have one key, the row with the greater value in this column is kept. */
  cursorField: string | undefined
}

/** The parameters of an upload, from its URL. */
export interface Upload {
  target: Target
  mode: UploadMode
  /** Present when rows are matched by a key. */
  key: UpsertKey | undefined
  format: FileFormat | undefined
  /** What the parameters say of a csv file. */
  dialect: Partial<CsvDialect>
}

const modes: readonly UploadMode[] = ['create', 'append', 'create_append', 'upsert', 'overwrite']
const formats: readonly FileFormat[] = ['csv', 'json', 'parquet']
const known = [
  'catalog',
  'schema',
  'table',
  'mode',
  'format',
  'primary_key',
  'cursor_field',
  'delimiter',
  'header',
]
/** These modes make a table that is missing, and match rows when a key is given. */
const keyed: readonly UploadMode[] = ['upsert', 'create_append']

const wrong = (message: string) => refuse(400, 'invalid-parameter', message)

const readOne = <T extends string>(
  search: URLSearchParams,
  name: string,
  values: readonly T[],
): T | undefined => {
  const value = search.get(name)
  if (value === null || value === '') return undefined
  const found = values.find((each) => each === value)
  if (found === undefined) throw wrong(`${name} must be one of ${values.join(', ')}.`)
  return found
}

const readKey = (search: URLSearchParams, mode: UploadMode): UpsertKey | undefined => {
  const primaryKey = search.get('primary_key') ?? ''
  const cursorField = search.get('cursor_field') ?? ''
  if (primaryKey === '') {
    if (mode === 'upsert') throw wrong('primary_key is missing: the column or columns that name a row.')
    if (cursorField !== '')
      throw wrong('cursor_field needs a primary_key: it decides between rows with one key.')
    return undefined
  }
  if (!keyed.includes(mode))
    throw wrong(`primary_key goes with mode=${keyed.join(' or ')}, not with ${mode}.`)
  return { primaryKey, cursorField: cursorField === '' ? undefined : cursorField }
}

/** No letter, digit or blank, which fields are full of, and no quote. */
const delimiter = /^[!#-/:-@[-`{-~\t]$/

const readDialect = (search: URLSearchParams): Partial<CsvDialect> => {
  const given = search.get('delimiter') ?? ''
  const sign = given === String.raw`\t` ? '\t' : given
  if (sign !== '' && !delimiter.test(sign))
    throw wrong(String.raw`delimiter must be one character, such as ; or | (%7C), or \t.`)
  const header = readOne(search, 'header', ['true', 'false'])
  return {
    ...(sign === '' ? {} : { delimiter: sign }),
    ...(header === undefined ? {} : { header: header === 'true' }),
  }
}

/** Reads the URL of `/upload` or of `/upsert`, which needs no mode. */
export const readUpload = (
  search: URLSearchParams,
  catalogs: readonly string[],
  path: '/upload' | '/upsert',
): Upload => {
  checkParameters(search, known)
  const target = readTarget(search, catalogs)
  const mode =
    path === '/upsert' ? (readOne(search, 'mode', keyed) ?? 'upsert') : readOne(search, 'mode', modes)
  if (mode === undefined) throw wrong(`mode is missing: one of ${modes.join(', ')}.`)
  const key = readKey(search, path === '/upsert' ? 'upsert' : mode)
  const format = readOne(search, 'format', formats)
  return { target, mode, key, format, dialect: readDialect(search) }
}
