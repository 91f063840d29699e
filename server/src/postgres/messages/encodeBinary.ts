import { ProtocolError, sqlState } from '../ProtocolError.js'
import { catalogTypeName, functionOid } from '../catalog/typeTables.js'
import { itemTypeOfOid, typeOfOid } from '../types.js'

/** Without the spaces at both ends; to Postgres other characters of Unicode are none. */
const trimPlain = (text: string): string => {
  const isSpace = (at: number) => ' \t\n\r\v\f'.includes(text.charAt(at))
  let [from, to] = [0, text.length]
  while (from < to && isSpace(from)) from++
  while (from < to && isSpace(to - 1)) to--
  return text.slice(from, to)
}

const unescape = (item: string) => item.replaceAll(/\\(.)/gs, '$1')

/** Reads an array as Postgres writes it, `{1,NULL,"a b"}`; undefined when the text is no array, or has several dimensions. */
export const readArray = (text: string): (string | null)[] | undefined => {
  if (!text.startsWith('{') || !text.endsWith('}')) return undefined
  const inner = text.slice(1, -1)
  if (trimPlain(inner) === '') return []
  const items: (string | null)[] = []
  const item = /(?:\s*"((?:[^"\\]|\\.)*)"\s*|((?:[^",{}\\]|\\.)+))(,|$)/sy
  for (;;) {
    const found = item.exec(inner)
    if (found === null) return undefined
    const [, quoted, plain, end] = found
    if (quoted !== undefined) items.push(unescape(quoted))
    else {
      const trimmed = trimPlain(plain!)
      items.push(/^null$/i.test(trimmed) ? null : unescape(trimmed))
    }
    if (end === '') return items
  }
}

/** A value of a row as it is sent to the client. */
export type Cell = string | Buffer | null

/** DuckDB and JavaScript count days from 1970, Postgres from 2000. */
export const epochDays = 10_957
export const epochMicros = BigInt(epochDays) * 86_400_000_000n

/** No value is written that is not of the type that the client was told: it would become another one. */
const foreign = (text: string, name: string) =>
  new ProtocolError(
    sqlState.invalidText,
    `The value ${JSON.stringify(text.slice(0, 80))} is not of the column's type, ${name}: cast what the statement selects.`,
  )

const ranges: Readonly<Record<string, readonly [least: bigint, greatest: bigint]>> = {
  int2: [-(2n ** 15n), 2n ** 15n - 1n],
  int4: [-(2n ** 31n), 2n ** 31n - 1n],
  int8: [-(2n ** 63n), 2n ** 63n - 1n],
  oid: [0n, 2n ** 32n - 1n],
}

/** Reads a whole number that a type of this name holds. */
const wholeOf = (text: string, name: string): bigint => {
  const value = /^-?\d+$/.test(text) ? BigInt(text) : undefined
  const [least, greatest] = ranges[name]!
  if (value === undefined || value < least || value > greatest) throw foreign(text, name)
  return value
}

const int = (name: 'int2' | 'int4' | 'oid') => (text: string) => {
  const bytes = name === 'int2' ? 2 : 4
  const buffer = Buffer.allocUnsafe(bytes)
  buffer.writeUIntBE(Number(BigInt.asUintN(8 * bytes, wholeOf(text, name))), 0, bytes)
  return buffer
}

const int64 = (value: bigint): Buffer => {
  const buffer = Buffer.allocUnsafe(8)
  buffer.writeBigInt64BE(value)
  return buffer
}

/** A number as Postgres and DuckDB write it; NaN alone is none to JavaScript. */
const numberOf = (text: string, name: string): number => {
  const value = /^-?(\d|Infinity$)|^NaN$/.test(text) ? Number(text) : undefined
  if (value === undefined || (Number.isNaN(value) && text !== 'NaN')) throw foreign(text, name)
  return value
}

const float = (bytes: 4 | 8) => (text: string) => {
  const value = numberOf(text, `float${bytes}`)
  const buffer = Buffer.allocUnsafe(bytes)
  if (bytes === 4) buffer.writeFloatBE(value)
  else buffer.writeDoubleBE(value)
  return buffer
}

const clock = /^(\d+):(\d\d):(\d\d)(?:\.(\d+))?$/

const microsOfClock = (text: string): bigint => {
  const found = clock.exec(text)
  if (found === null) throw foreign(text, 'time')
  const [, hours, minutes, seconds, fraction = ''] = found
  const whole = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)
  return BigInt(whole) * 1_000_000n + BigInt(fraction.slice(0, 6).padEnd(6, '0'))
}

const moment = /^(\d+)-(\d\d)-(\d\d)(?: ([\d:.]+)(?:([+-])(\d\d)(?::(\d\d))?(?::(\d\d))?)?)?( BC)?$/

/** Microseconds since 2000 of a date or timestamp, with or without an offset; undefined for infinities. */
const microsOfMoment = (text: string): bigint | undefined => {
  const found = moment.exec(text)
  if (found === null) return undefined
  const [, year, month, day, time, sign, hours = '0', minutes = '0', seconds = '0', bc] = found
  const date = new Date(0)
  date.setUTCFullYear(bc === undefined ? Number(year) : 1 - Number(year), Number(month) - 1, Number(day))
  const offset = BigInt((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000_000n
  const local = BigInt(date.getTime()) * 1000n - epochMicros + (time === undefined ? 0n : microsOfClock(time))
  return sign === '-' ? local + offset : local - offset
}

/** The moment, or the greatest or least number that the type holds for an infinity. */
const momentOf = (text: string, [least, greatest]: readonly [bigint, bigint], name: string): bigint => {
  if (text === 'infinity') return greatest
  if (text === '-infinity') return least
  const micros = microsOfMoment(text)
  if (micros === undefined) throw foreign(text, name)
  return micros
}

const timestamp = (text: string): Buffer => int64(momentOf(text, ranges['int8']!, 'timestamp'))

const date = (text: string): Buffer => {
  const isEnd = text.endsWith('infinity')
  const value = momentOf(text, ranges['int4']!, 'date')
  return int('int4')(String(isEnd ? value : value / 86_400_000_000n))
}

const intervalForm = /^(?:(?:^|\s+)[-+]?\d+ (?:year|mon|day)s?)*(?:(?:^|\s+)[-+]?\d+:\d\d:[\d.]+)?$/

const interval = (text: string): Buffer => {
  if (text === '' || !intervalForm.test(text)) throw foreign(text, 'interval')
  const of = (unit: string) => Number(new RegExp(`(-?\\d+) ${unit}`).exec(text)?.[1] ?? 0)
  const [time] = /-?\d+:\d\d:[\d.]+$/.exec(text) ?? []
  const micros = time === undefined ? 0n : microsOfClock(time.replace('-', ''))
  const buffer = Buffer.allocUnsafe(16)
  buffer.writeBigInt64BE(time?.startsWith('-') === true ? -micros : micros)
  buffer.writeInt32BE(of('day'), 8)
  buffer.writeInt32BE(12 * of('year') + of('mon'), 12)
  return buffer
}

/** Postgres sends a numeric as groups of four decimal digits, counted from the point. */
const numeric = (text: string): Buffer => {
  const special = { NaN: 0xc000, Infinity: 0xd000, '-Infinity': 0xf000 }[text]
  if (special !== undefined) return Buffer.from([0, 0, 0, 0, special >> 8, 0, 0, 0])
  if (!/^-?\d+(\.\d*)?$/.test(text)) throw foreign(text, 'numeric')
  const isNegative = text.startsWith('-')
  const [whole = '', fraction = ''] = text.replace(/^[+-]/, '').split('.')
  const left = whole.padStart(4 * Math.ceil(whole.length / 4), '0')
  const digits = (left + fraction.padEnd(4 * Math.ceil(fraction.length / 4), '0')).match(/.{4}/g) ?? []
  let weight = left.length / 4 - 1
  let first = 0
  for (; first < digits.length && digits[first] === '0000'; first++) weight--
  const groups = digits.slice(first)
  const buffer = Buffer.alloc(8 + 2 * groups.length)
  buffer.writeInt16BE(groups.length, 0)
  buffer.writeInt16BE(groups.length === 0 ? 0 : weight, 2)
  buffer.writeUInt16BE(isNegative ? 0x4000 : 0, 4)
  buffer.writeInt16BE(fraction.length, 6)
  for (const [at, group] of groups.entries()) buffer.writeInt16BE(Number(group), 8 + 2 * at)
  return buffer
}

/** Bytes as Postgres writes them, in hex or with a backslash before three octal digits. */
export const bytesOf = (text: string): Buffer => {
  if (text.startsWith('\\x')) {
    const digits = text.slice(2).replaceAll(/\s/g, '')
    if (digits.length % 2 > 0 || /[^\da-f]/i.test(digits)) throw foreign(text, 'bytea')
    return Buffer.from(digits, 'hex')
  }
  const parts = text.match(/\\\\|\\[0-3][0-7]{2}|[^\\]+|\\/gs) ?? []
  return Buffer.concat(
    parts.map((part) => {
      if (part === '\\') throw foreign(text, 'bytea')
      if (part === '\\\\') return Buffer.from('\\')
      return part.startsWith('\\') ? Buffer.from([Number.parseInt(part.slice(1), 8)]) : Buffer.from(part)
    }),
  )
}

const uuidForm = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

const encoders: Record<string, (text: string) => Buffer> = {
  bool(text) {
    if (text !== 't' && text !== 'f') throw foreign(text, 'bool')
    return Buffer.from([text === 't' ? 1 : 0])
  },
  int2: int('int2'),
  int4: int('int4'),
  oid: int('oid'),
  xid: int('oid'),
  regproc: (text) => int('oid')(String(functionOid(text) ?? 0)),
  int8: (text) => int64(wholeOf(text, 'int8')),
  float4: float(4),
  float8: float(8),
  numeric,
  bytea: bytesOf,
  uuid(text) {
    if (!uuidForm.test(text)) throw foreign(text, 'uuid')
    return Buffer.from(text.replaceAll('-', ''), 'hex')
  },
  date,
  timestamp,
  timestamptz: timestamp,
  time: (text) => int64(microsOfClock(text)),
  interval,
  jsonb: (text) => Buffer.concat([Buffer.from([1]), Buffer.from(text)]),
}
const asText = new Set(['text', 'varchar', 'bpchar', 'name', 'json', 'char'])

const array = (text: string, oid: number, encode: (item: string) => Buffer): Buffer => {
  const items = readArray(text)
  if (items === undefined) throw foreign(text, `${typeOfOid(oid)?.name}[]`)
  const head = Buffer.alloc(items.length === 0 ? 12 : 20)
  head.writeInt32BE(items.length === 0 ? 0 : 1, 0)
  head.writeInt32BE(items.includes(null) ? 1 : 0, 4)
  head.writeInt32BE(oid, 8)
  if (items.length === 0) return head
  head.writeInt32BE(items.length, 12)
  head.writeInt32BE(1, 16)
  const parts = items.flatMap((item) => {
    const length = Buffer.alloc(4)
    if (item === null) return [Buffer.from([255, 255, 255, 255])]
    const value = encode(item)
    length.writeInt32BE(value.length)
    return [length, value]
  })
  return Buffer.concat([head, ...parts])
}

/** A vector is an array whose places count from 0. */
const vector = (text: string, oid: number): Buffer => {
  const buffer = array(`{${text.trim().replaceAll(' ', ',')}}`, oid, binaryEncoder(oid))
  if (buffer.length > 12) buffer.writeInt32BE(0, 16)
  return buffer
}
const ofVectors: Record<string, number> = { int2vector: 21, oidvector: 26 }

/** Makes the function that turns a column's texts into Postgres's binary format. Throws when the type has none here. */
export const binaryEncoder = (oid: number): ((text: string) => Buffer) => {
  const item = itemTypeOfOid(oid)
  if (item !== undefined) {
    const encode = binaryEncoder(item.oid)
    return (text) => array(text, item.oid, encode)
  }
  const known = typeOfOid(oid)?.name ?? catalogTypeName(oid) ?? 'text'
  const items = ofVectors[known]
  if (items !== undefined) return (text) => vector(text, items)
  const name = /^(reg\w+|xid)$/.test(known) || typeOfOid(oid) !== undefined ? known : 'text'
  const encode = asText.has(name) ? (text: string) => Buffer.from(text) : encoders[name]
  if (encode !== undefined) return encode
  throw new ProtocolError(sqlState.notSupported, `There is no binary format for ${name} here: ask for text.`)
}
