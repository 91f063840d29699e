import { bytesOf, readArray } from './messages/encodeBinary.js'
import { ProtocolError, sqlState } from './ProtocolError.js'
import { type Field, itemTypeOfOid, typeOfOid } from './types.js'

/** Writes a value of one type as one of another, both in Postgres's text; undefined where something would be lost. */
type Conversion = (text: string) => string | undefined

const bits: Readonly<Record<string, bigint>> = { int2: 15n, int4: 31n, int8: 63n }

/** A number without exponent, sign of zero, and zeros at its ends, so that equal ones are written alike. */
const plain = (text: string): string | undefined => {
  const found = /^(-?)(\d+)(?:\.(\d*))?(?:e([+-]?\d+))?$/i.exec(text)
  if (found === null) return undefined
  const [, sign = '', before = '', behind = '', power = '0'] = found
  const point = before.length + Number(power)
  const digits = `${'0'.repeat(Math.max(0, -point))}${before}${behind}`.padEnd(point, '0')
  const whole = digits.slice(0, Math.max(0, point)).replace(/^0+/, '') || '0'
  const fraction = digits.slice(Math.max(0, point)).replace(/0+$/, '')
  const value = fraction === '' ? whole : `${whole}.${fraction}`
  return value === '0' ? value : sign + value
}

const isInteger = (name: string) => Object.hasOwn(bits, name)
const isNumber = (name: string) => isInteger(name) || /^(numeric|float[48])$/.test(name)
const isText = (name: string) => /^(text|varchar|bpchar|name)$/.test(name)

const toWhole =
  (name: string): Conversion =>
  (text) => {
    const value = plain(text)
    if (value === undefined || value.includes('.')) return undefined
    const limit = 2n ** bits[name]!
    return BigInt(value) >= -limit && BigInt(value) < limit ? value : undefined
  }

const toFloat =
  (name: string): Conversion =>
  (text) => {
    const value = plain(text)
    if (value === undefined) return /^(NaN|-?Infinity)$/.test(text) ? text : undefined
    const kept = name === 'float4' ? Math.fround(Number(text)) : Number(text)
    return plain(String(kept)) === value ? text : undefined
  }

const between = (from: string, to: string): Conversion => {
  if (isText(to)) return (text) => (from === 'bool' ? String(text === 't') : text)
  if (isNumber(from) && isInteger(to)) return toWhole(to)
  if (isNumber(from) && to === 'numeric')
    return (text) => plain(text) ?? (/^(NaN|-?Infinity)$/.test(text) ? text : undefined)
  if (isNumber(from) && isNumber(to)) return toFloat(to)
  if (from === 'date' && to === 'timestamp')
    return (text) => (text.endsWith('infinity') ? text : text.replace(/(?=$| BC)/, ' 00:00:00'))
  if (from === 'timestamp' && to === 'date')
    return (text) =>
      text.endsWith('infinity') || / 00:00:00(?=$| BC)/.test(text) ? text.replace(' 00:00:00', '') : undefined
  if (/^jsonb?$/.test(from) && /^jsonb?$/.test(to)) return (text) => text
  if (isText(from) && to === 'bytea') return (text) => `\\x${bytesOf(text).toString('hex')}`
  return () => undefined
}

const quoteItem = (item: string | null) =>
  item === null
    ? 'NULL'
    : /^[\w.-]+$/.test(item) && !/^null$/i.test(item)
      ? item
      : `"${item.replaceAll(/["\\]/g, '\\$&')}"`

const conversion = (from: number, to: number): Conversion | undefined => {
  if (from === to) return undefined
  const items = [itemTypeOfOid(from), itemTypeOfOid(to)]
  if (items[0] === undefined || items[1] === undefined)
    return between(typeOfOid(from)?.name ?? '', typeOfOid(to)?.name ?? '')
  const convert = between(items[0].name, items[1].name)
  return (text) => {
    const all = readArray(text)?.map((item) => (item === null ? null : convert(item)))
    return all === undefined || all.includes(undefined)
      ? undefined
      : `{${all.map((item) => quoteItem(item!)).join(',')}}`
  }
}

const nameOf = (oid: number) =>
  typeOfOid(oid)?.name ?? (itemTypeOfOid(oid) && `${itemTypeOfOid(oid)!.name}[]`) ?? oid

/**
 * Writes the values of a row in the types that the client was told before the statement ran. DuckDB finds some types
 * by the values of the parameters, and a client reads bytes by what it was told. Undefined where the types are the same.
 */
export const conversionOf = (told: readonly Field[], found: readonly Field[]) => {
  const conversions = told.map(({ oid }, at) => conversion(found[at]!.oid, oid))
  if (conversions.every((each) => each === undefined)) return undefined
  return (value: string | null, at: number): string | null => {
    const convert = conversions[at]
    if (value === null || convert === undefined) return value
    const converted = convert(value)
    if (converted !== undefined) return converted
    const [{ name, oid }, now] = [told[at]!, found[at]!]
    throw new ProtocolError(
      sqlState.notSupported,
      `The column ${JSON.stringify(name)} was described as ${nameOf(oid)}, and with these parameters it is ${nameOf(now.oid)}: ${value.slice(0, 80)}. Cast the parameters, as in $1::numeric.`,
    )
  }
}
