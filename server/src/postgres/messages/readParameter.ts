import { quoteText } from '../../duckdb/quote.js'
import { epochDays, epochMicros, readArray } from './encodeBinary.js'
import { ProtocolError, sqlState } from '../ProtocolError.js'
import type { ParameterMark } from '../statements/statements.js'
import { itemTypeOfOid, typeOfOid } from '../types.js'

const isoOf = (micros: bigint): string => {
  const inMillis = (micros >= 0n ? micros : micros - 999n) / 1000n
  const rest = micros - inMillis * 1000n
  const iso = new Date(Number(inMillis)).toISOString()
  return `${iso.slice(0, -1)}${String(rest).padStart(3, '0')}`
}

const numericOf = (bytes: Buffer): string => {
  const count = bytes.readInt16BE(0)
  const weight = bytes.readInt16BE(2)
  const sign = bytes.readUInt16BE(4)
  const scale = bytes.readInt16BE(6)
  if (sign === 0xc000) return 'NaN'
  const group = (at: number) =>
    at < 0 || at >= count ? '0000' : String(bytes.readInt16BE(8 + 2 * at)).padStart(4, '0')
  let whole = ''
  for (let at = 0; at <= weight; at++) whole += group(at)
  let fraction = ''
  for (let at = weight + 1; fraction.length < scale; at++) fraction += group(at)
  const text = `${whole.replace(/^0+/, '') || '0'}${scale > 0 ? `.${fraction.slice(0, scale)}` : ''}`
  return sign === 0x4000 ? `-${text}` : text
}

const hex = (bytes: Buffer) => bytes.toString('hex')
const utf8 = (bytes: Buffer) => bytes.toString('utf8')

const decoders: Record<string, (bytes: Buffer) => string> = {
  bool: (bytes) => String(bytes.readUInt8(0) !== 0),
  int2: (bytes) => String(bytes.readInt16BE(0)),
  int4: (bytes) => String(bytes.readInt32BE(0)),
  oid: (bytes) => String(bytes.readUInt32BE(0)),
  int8: (bytes) => String(bytes.readBigInt64BE(0)),
  float4: (bytes) => String(bytes.readFloatBE(0)),
  float8: (bytes) => String(bytes.readDoubleBE(0)),
  numeric: numericOf,
  bytea: (bytes) => `\\x${hex(bytes)}`,
  uuid: (bytes) => hex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
  date: (bytes) => isoOf(BigInt(bytes.readInt32BE(0) + epochDays) * 86_400_000_000n).slice(0, 10),
  timestamp: (bytes) => isoOf(bytes.readBigInt64BE(0) + epochMicros),
  timestamptz: (bytes) => `${isoOf(bytes.readBigInt64BE(0) + epochMicros)}+00`,
  time: (bytes) => isoOf(bytes.readBigInt64BE(0)).slice(11),
  text: utf8,
  varchar: utf8,
  bpchar: utf8,
  name: utf8,
  char: utf8,
  json: utf8,
  jsonb: (bytes) => utf8(bytes.subarray(1)),
}

const decode = (bytes: Buffer, oid: number): string => {
  const name = typeOfOid(oid)?.name
  const read = name === undefined ? undefined : decoders[name]
  if (read === undefined) {
    throw new ProtocolError(
      sqlState.notSupported,
      `A parameter of the type ${name ?? oid} cannot be read in binary here: send it as text.`,
    )
  }
  return read(bytes)
}

const decodeArray = (bytes: Buffer): (string | null)[] => {
  const dimensions = bytes.readInt32BE(0)
  if (dimensions === 0) return []
  if (dimensions > 1) {
    throw new ProtocolError(sqlState.notSupported, 'A parameter can be an array of one dimension only.')
  }
  const oid = bytes.readInt32BE(8)
  const items: (string | null)[] = []
  let at = 20
  for (let left = bytes.readInt32BE(12); left > 0; left--) {
    const length = bytes.readInt32BE(at)
    at += 4
    if (length < 0) items.push(null)
    else {
      if (at + length > bytes.length) throw new RangeError('An item is cut off.')
      items.push(decode(bytes.subarray(at, at + length), oid))
      at += length
    }
  }
  return items
}

/** Whether a value is given to DuckDB as a plain text, so that DuckDB decides what type it has. */
const isLoose = (oid: number) =>
  oid === 0 || ['text', 'varchar', 'bpchar', 'name'].includes(typeOfOid(oid)?.name ?? '')

/**
 * A value in SQL. As in Postgres, a text without a type gets none, so that it takes the type of the value
 * that it is compared with.
 */
const literal = (value: string | null, oid: number): string => {
  if (value === null) return isLoose(oid) ? 'NULL' : `CAST(NULL AS ${sqlTypeOf(oid)})`
  if (isLoose(oid)) return quoteText(value)
  const name = typeOfOid(oid)?.name
  if (name === 'bytea') return `unhex(${quoteText(value.replace(/^\\x/, ''))})`
  if (name === 'numeric' && !/^-?\d+(\.\d+)?$/.test(value)) return `CAST(${quoteText(value)} AS DOUBLE)`
  // DuckDB makes a DECIMAL of a bare number with exactly its digits.
  if (name === 'numeric') return `(${value})`
  return `CAST(${quoteText(value)} AS ${sqlTypeOf(oid)})`
}

/** DuckDB's name for the type of a parameter. */
export const sqlTypeOf = (oid: number): string => {
  const item = itemTypeOfOid(oid)
  return item === undefined ? (typeOfOid(oid)?.sql ?? 'VARCHAR') : `${item.sql}[]`
}

const list = (items: (string | null)[], { oid, kind }: Parameter): string => {
  const type = itemTypeOfOid(oid)
  const values = items.map((each) => literal(each, type?.oid ?? 0)).join(', ')
  if (kind === 'members') return ` IN (${items.length === 0 ? 'SELECT NULL WHERE false' : values})`
  return type === undefined ? `[${values}]` : `CAST([${values}] AS ${type.sql}[])`
}

export interface Parameter {
  bytes: Buffer | null
  isBinary: boolean
  oid: number
  kind: ParameterMark['kind']
}

/** The SQL that is written instead of `$1`. */
export const readParameter = (parameter: Parameter): string => {
  const { bytes, isBinary, oid, kind } = parameter
  if (bytes === null) return kind === 'members' ? ' IN (NULL)' : literal(null, oid)
  const isArray = itemTypeOfOid(oid) !== undefined
  try {
    if (isBinary && isArray) return list(decodeArray(bytes), parameter)
    const text = isBinary && oid !== 0 ? decode(bytes, oid) : utf8(bytes)
    const items = isArray || kind !== 'value' ? readArray(text) : undefined
    if (items !== undefined) return list(items, parameter)
    if (isArray)
      throw new ProtocolError(sqlState.invalidText, `An array reads like {1,2}, not ${text.slice(0, 80)}.`)
    return kind === 'members' ? ` = ANY (${literal(text, oid)})` : literal(text, oid)
  } catch (error) {
    if (error instanceof ProtocolError) throw error
    throw new ProtocolError(sqlState.invalidBinary, 'A binary parameter is not of the length of its type.')
  }
}
