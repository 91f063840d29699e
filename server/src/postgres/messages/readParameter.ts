import { quoteText } from '../../duckdb/quote.js'
import { bytesOf, epochDays, epochMicros, readArray } from './encodeBinary.js'
import { ProtocolError, sqlState } from '../ProtocolError.js'
import type { ParameterMark } from '../statements/statements.js'
import { itemTypeOfOid, oidOfName, typeOfOid } from '../types.js'

/** What Postgres sends for the first and the last moment of all: the least and the greatest whole number. */
const orInfinity = (value: bigint, bits: 32n | 64n, write: (value: bigint) => string): string => {
  const end = 2n ** (bits - 1n)
  return value === end - 1n ? 'infinity' : value === -end ? '-infinity' : write(value)
}

const isoOf = (micros: bigint): string => {
  const inMillis = (micros >= 0n ? micros : micros - 999n) / 1000n
  const rest = micros - inMillis * 1000n
  const date = new Date(Number(inMillis))
  const year = date.getUTCFullYear()
  const digits = String(year > 0 ? year : 1 - year).padStart(4, '0')
  const iso = date
    .toISOString()
    .replace(/^.*?(?=-\d\d-\d\dT)/, digits)
    .replace('T', ' ')
  return `${iso.slice(0, -1)}${String(rest).padStart(3, '0')}${year > 0 ? '' : ' BC'}`
}

const numericOf = (bytes: Buffer): string => {
  const count = bytes.readInt16BE(0)
  const weight = bytes.readInt16BE(2)
  const sign = bytes.readUInt16BE(4)
  const scale = bytes.readInt16BE(6)
  if (sign === 0xc000) return 'NaN'
  if (sign === 0xd000 || sign === 0xf000) return sign === 0xd000 ? 'Infinity' : '-Infinity'
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
  date: (bytes) =>
    orInfinity(BigInt(bytes.readInt32BE(0)), 32n, (days) =>
      isoOf((days + BigInt(epochDays)) * 86_400_000_000n).replace(/ .*?(?=$| BC)/, ''),
    ),
  timestamp: (bytes) => orInfinity(bytes.readBigInt64BE(0), 64n, (micros) => isoOf(micros + epochMicros)),
  timestamptz: (bytes) =>
    orInfinity(bytes.readBigInt64BE(0), 64n, (micros) =>
      isoOf(micros + epochMicros).replace(/(?=$| BC)/, '+00'),
    ),
  interval: (bytes) =>
    `${bytes.readInt32BE(12)} months ${bytes.readInt32BE(8)} days ${bytes.readBigInt64BE(0)} microseconds`,
  time: (bytes) => {
    const micros = bytes.readBigInt64BE(0)
    return micros === 86_400_000_000n ? '24:00:00' : isoOf(micros).slice(11)
  },
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

const isText = (oid: number) =>
  oid === 0 || ['text', 'varchar', 'bpchar', 'name'].includes(typeOfOid(oid)?.name ?? '')

const wrong = (value: string, name: string) =>
  new ProtocolError(sqlState.invalidText, `${JSON.stringify(value.slice(0, 80))} is no ${name}.`)

/** What Postgres takes for a truth value: any beginning of these words that only one has. */
const truth = (value: string): string => {
  const word = value.trim().toLowerCase()
  if (/^(t(r(ue?)?)?|y(es?)?|on|1)$/.test(word)) return 'true'
  if (/^(f(a(l(se?)?)?)?|n(o)?|off?|0)$/.test(word)) return 'false'
  throw wrong(value, 'boolean')
}

const whole = (value: string, name: string): string => {
  if (!/^\s*[+-]?\d+\s*$/.test(value)) throw wrong(value, name)
  return value.trim()
}

const longest = 38
const numericOid = oidOfName('numeric')!

/** A DECIMAL with exactly the digits of the value: written bare, a whole number would be none, and a long one a DOUBLE. */
export const decimal = (value: string): string => {
  const text = value.trim()
  if (/^[+-]?(nan|inf(inity)?)$/i.test(text)) return `CAST(${quoteText(text)} AS DOUBLE)`
  const found = /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d{1,4}))?$/i.exec(text)
  if (found === null || !/\d/.test(text)) throw wrong(value, 'numeric')
  const [, sign = '', before = '', behind = '', power = '0'] = found
  const point = before.length + Number(power)
  const digits = (before + behind).padStart(before.length + behind.length + Math.max(0, -point), '0')
  const at = Math.max(point, 0)
  const integer =
    digits
      .slice(0, at)
      .padEnd(at, '0')
      .replace(/^0+(?=\d)/, '') || '0'
  const fraction = digits.slice(at)
  // DuckDB would not write the 0 before the point of a number below one.
  const digitsOf = integer.replace(/^0$/, '').length + fraction.length
  const width = Math.max(digitsOf, Math.min(fraction.length + 1, longest))
  if (width > longest)
    throw new ProtocolError(
      '22003',
      `A numeric has ${longest} digits at most here, and ${text.slice(0, 80)} has more.`,
    )
  return `CAST('${sign}${integer}.${fraction || '0'}' AS DECIMAL(${width}, ${fraction.length}))`
}

/** A text that is cast to a type of DuckDB's reads so there; Postgres reads more. */
const written: Record<string, (value: string, name: string) => string> = {
  bool: truth,
  int2: whole,
  int4: whole,
  int8: whole,
  oid: whole,
  date: momentOf,
  timestamp: momentOf,
  timestamptz: momentOf,
}

/** DuckDB has the era behind the date, seconds before a zone, and no space between them. */
function momentOf(value: string): string {
  // A moment is never so long, and to look for the parts of a long text takes longer than its length.
  if (value.length > 100) return value
  return value
    .replace(/^\s*(\d{4})(\d\d)(\d\d)(?=\s|T|$)/, '$1-$2-$3')
    .replace(/^(\d+-\d+-\d+)(.*?)\s+BC$/i, '$1 (BC)$2')
    .replace(/^(\S+(?: \(BC\))?[ T]\d{1,2}:\d\d)(?=\s*(?:[+-]|Z$))/i, '$1:00')
    .replace(/:(\S+) (?=[+-]\d)/, ':$1')
}

/** Words that stand for moments. */
const moments = new Map(Object.entries({
  now: 'now()', today: 'current_date', tomorrow: '(current_date + 1)', yesterday: '(current_date - 1)',
  epoch: `TIMESTAMPTZ '1970-01-01 00:00:00+00'`,
})) // prettier-ignore

/** A value in SQL. A loose text gets no type, so that it takes the type of the value that it is compared with. */
const literal = (value: string | null, oid: number, isLoose: boolean): string => {
  if (value === null) return isLoose && isText(oid) ? 'NULL' : `CAST(NULL AS ${sqlTypeOf(oid)})`
  if (isText(oid)) return isLoose ? quoteText(value) : `CAST(${quoteText(value)} AS VARCHAR)`
  const name = typeOfOid(oid)?.name ?? ''
  if (name === 'bytea') return `unhex('${bytesOf(value).toString('hex')}')`
  if (name === 'numeric') return decimal(value)
  const moment = /^(date|timestamp(tz)?)$/.test(name) ? moments.get(value.trim().toLowerCase()) : undefined
  if (moment !== undefined) return `CAST(${moment} AS ${sqlTypeOf(oid)})`
  return `CAST(${quoteText(written[name]?.(value, name) ?? value)} AS ${sqlTypeOf(oid)})`
}

/** DuckDB's name for the type of a parameter. */
export const sqlTypeOf = (oid: number): string => {
  const item = itemTypeOfOid(oid)
  return item === undefined ? (typeOfOid(oid)?.sql ?? 'VARCHAR') : `${item.sql}[]`
}

const list = (items: (string | null)[], { oid, kind, isLoose }: Parameter): string => {
  const type = itemTypeOfOid(oid)
  const values = items.map((each) => literal(each, type?.oid ?? 0, isLoose)).join(', ')
  if (kind === 'members') return ` IN (${items.length === 0 ? 'SELECT NULL WHERE false' : values})`
  return type === undefined ? `[${values}]` : `CAST([${values}] AS ${type.sql}[])`
}

export interface Parameter {
  bytes: Buffer | null
  isBinary: boolean
  oid: number
  kind: ParameterMark['kind']
  /** Whether a text is written without a type. */
  isLoose: boolean
  /** The type that the statement casts it to. */
  cast?: string | undefined
}

/** The SQL that is written instead of `$1`. */
export const readParameter = (parameter: Parameter): string => {
  const { bytes, isBinary, oid, kind, isLoose, cast } = parameter
  // DuckDB casts no text in braces to a list.
  if (isText(oid) && cast?.endsWith('[]') === true && oidOfName(cast) !== undefined)
    return readParameter({ ...parameter, isBinary: false, oid: oidOfName(cast)!, cast: undefined })
  if (bytes === null && kind === 'value' && cast === 'numeric') return literal(null, numericOid, isLoose)
  if (bytes === null) return kind === 'members' ? ' IN (NULL)' : literal(null, oid, isLoose)
  const isArray = itemTypeOfOid(oid) !== undefined
  try {
    if (isBinary && isArray) return list(decodeArray(bytes), parameter)
    const text = isBinary && oid !== 0 ? decode(bytes, oid) : utf8(bytes)
    const items = isArray || kind !== 'value' ? readArray(text) : undefined
    if (items !== undefined) return list(items, parameter)
    if (isArray)
      throw new ProtocolError(sqlState.invalidText, `An array reads like {1,2}, not ${text.slice(0, 80)}.`)
    // The statement leaves this cast to the value, which keeps its digits.
    if (kind === 'value' && cast === 'numeric' && typeOfOid(oid)?.name !== cast)
      return isText(oid) ? decimal(text) : `CAST(${literal(text, oid, isLoose)} AS ${sqlTypeOf(numericOid)})`
    const value = literal(text, oid, isLoose)
    return kind === 'members' ? ` = ANY (${value})` : value
  } catch (error) {
    if (error instanceof ProtocolError) throw error
    throw new ProtocolError(sqlState.invalidBinary, 'A binary parameter is not of the length of its type.')
  }
}
