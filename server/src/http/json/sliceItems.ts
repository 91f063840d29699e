import { refuse } from '../HttpError.js'

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a]
const [open, openList, close, closeList] = [0x7b, 0x5b, 0x7d, 0x5d]

/** The items of a JSON array in their own bytes: JSON.parse would lose digits. */
export const splitArray = (array: Buffer): Buffer[] => {
  const items: Buffer[] = []
  let depth = 0
  let from = 0
  let isInText = false
  const take = (end: number) => {
    const item = array.subarray(from, end)
    if (item.some((byte) => byte > 0x20)) items.push(item)
    from = end + 1
  }
  for (let at = 0; at < array.length; at++) {
    const byte = array[at]
    if (isInText) {
      if (byte === backslash) at++
      else if (byte === quote) isInText = false
    } else if (byte === quote) isInText = true
    else if (byte === open || byte === openList) {
      if (depth++ === 0) from = at + 1
    } else if (byte === close || byte === closeList) {
      if (--depth === 0) take(at)
    } else if (byte === comma && depth === 1) take(at)
  }
  return items
}

/** To parse this much takes some milliseconds, for which other work can wait. */
export const sliceBytes = 2 ** 18
/** A little more than the 100 levels of `checkValue`, so that its message comes first: it names the value. */
const maxDepth = 128
/** A value costs JSON.parse tens of nanoseconds: a millisecond or two in all. */
const maxValues = 50_000
/** A new name costs it almost a microsecond, and the checks and DuckDB several more. */
const maxNames = 10_000
/** How many properties an event has, or traits a user: what the objects in an item name themselves. */
export const maxProperties = 1000

const tooDeep = () => refuse(400, 'invalid-body', `The body is nested deeper than ${maxDepth} levels.`)
const tooMany = (isList: boolean, what: string) =>
  refuse(
    400,
    'invalid-body',
    `${isList ? 'An item of the body' : 'The body'} holds more than ${what}. Send fewer of them in one.`,
  )

const afterSpace = (json: Buffer, from: number): number => {
  let at = from
  while (at < json.length && json[at]! <= 0x20) at++
  return at
}

/** The offset of the quotation mark that ends a text; at least the length of the JSON when the text does not end. */
const endOfText = (json: Buffer, from: number): number => {
  let at = from + 1
  while (at < json.length && json[at] !== quote) at += json[at] === backslash ? 2 : 1
  return at
}

/**
 * Cuts a JSON array into smaller arrays of whole items, each of at least `sliceBytes`, so that a large body can be read
 * with other work in between. Any other JSON is one slice. Before anything is parsed it refuses JSON that is nested too
 * deep and items with too many values or names. When the body is not JSON, one of its slices is not JSON either.
 */
export function* sliceItems(json: Buffer): Generator<Buffer, void> {
  const start = afterSpace(json, 0)
  const isList = json[start] === openList
  let from = 0
  let depth = 0
  const propertiesDepth = isList ? 3 : 2
  let [values, names, properties] = [0, 0, 0]
  for (let at = start; at < json.length; at++) {
    const byte = json[at]!
    if (byte === quote) at = endOfText(json, at)
    else if (byte === open || byte === openList) {
      if (++depth > maxDepth) throw tooDeep()
      if (++values > maxValues) throw tooMany(isList, `${maxValues} values`)
    } else if (byte === close || byte === closeList) depth--
    else if (byte === colon) {
      if (++names > maxNames) throw tooMany(isList, `${maxNames} names of fields`)
      if (depth === propertiesDepth && ++properties > maxProperties)
        throw tooMany(isList, `${maxProperties} properties or traits`)
    } else if (byte === comma) {
      if (!isList || depth > 1) {
        if (++values > maxValues) throw tooMany(isList, `${maxValues} values`)
        continue
      }
      values = names = properties = 0
      // A comma before the closing bracket must stay where JSON.parse sees both.
      if (at - from < sliceBytes || json[afterSpace(json, at + 1)] === closeList) continue
      yield sliceOf(json, from, at)
      from = at + 1
    }
  }
  yield from === 0 ? json : sliceOf(json, from, json.length)
}

/** The first slice keeps the array's own opening bracket, and the last slice everything after the array's items. */
const sliceOf = (json: Buffer, from: number, end: number): Buffer =>
  Buffer.concat([
    Buffer.from(from === 0 ? '' : '['),
    json.subarray(from, end),
    Buffer.from(end === json.length ? '' : ']'),
  ])

/** Puts slices together again. */
export const joinSlices = (slices: readonly Buffer[]): Buffer => {
  if (slices.length === 1) return slices[0]!
  const parts = slices.flatMap((slice, at) => [
    Buffer.from(at === 0 ? '[' : ','),
    slice.subarray(slice.indexOf(openList) + 1, slice.lastIndexOf(closeList)),
  ])
  return Buffer.concat([...parts, Buffer.from(']')])
}
