import { setImmediate as otherWork } from 'node:timers/promises'
import type { ErrorObject } from 'ajv'
import { refuse } from '../http/HttpError.js'
import { parseJson, withoutMark, compileSchema } from '../http/readJson.js'
import { createFieldRewriter } from '../http/json/createFieldRewriter.js'
import { joinSlices, sliceItems } from '../http/json/sliceItems.js'
import { storableBody, checkTimestamp } from '../http/json/storableJson.js'
import { plainEventCounter } from './plainEvents.js'
import {
  payloadSchemas,
  type EntryKind,
  environmentCheck,
  isBugId,
  type Marks,
  optionalIds,
  payloadCheck,
  type Payload,
} from './payloads.js'

const [quote, backslash, colon] = [0x22, 0x5c, 0x3a]
const [open, openList, close, closeList] = [0x7b, 0x5b, 0x7d, 0x5d]

/**
 * How many fields each record has in valid JSON, which is an array of objects or one object. A name that comes twice
 * counts twice, so a record of fewer names than fields has one twice: JSON.parse reads its last value, DuckDB the first.
 */
export const countFields = (json: Buffer): number[] => {
  const counts: number[] = []
  let depth = 0
  let recordDepth = 1
  for (let at = 0; at < json.length; at++) {
    const byte = json[at]
    if (byte === quote) {
      at++
      while (json[at] !== quote) at += json[at] === backslash ? 2 : 1
    } else if (byte === open || byte === openList) {
      if (depth === 0 && byte === openList) recordDepth = 2
      if (++depth === recordDepth) counts.push(0)
    } else if (byte === close || byte === closeList) depth--
    else if (byte === colon && depth === recordDepth) counts[counts.length - 1]!++
  }
  return counts
}

export interface Payloads {
  count: number
  /** A JSON array: the bytes as they were sent, unless they cannot be stored so. */
  body: Buffer
  /** Which of them are about nobody. */
  aside: readonly number[]
  marks: Readonly<Marks>
}

/** Rewrites timestamps and leaves ids out that are nobody's: numbers would lose digits if they were written anew. */
const mend = (kind: EntryKind, bytes: Buffer): string =>
  createFieldRewriter({
    fields: new Set(['timestamp', ...optionalIds[kind]]),
    rewrite(token, field) {
      if (token[0] !== '"') return token
      const text = JSON.parse(token) as string
      if (field !== 'timestamp') return isBugId(text) ? 'null' : token
      const check = checkTimestamp(text)
      return typeof check === 'string' ? token : JSON.stringify(check.rewritten)
    },
  })
    .feed(bytes)
    .toString()

/** Names the wrong field: `/3/event` in an array, `/event` in a single object. */
const describe = (error: ErrorObject | undefined, isSingle: boolean, before: number) => {
  const path = (error?.instancePath ?? '').replace(/^\/\d+/, (index) =>
    isSingle ? '' : `/${before + Number(index.slice(1))}`,
  )
  return `${path || 'the body'} ${error?.message ?? 'is invalid'}`
}

/**
 * Makes a function that checks a body of one kind and takes all of its payloads or none. A large body is read in
 * parts, so that other requests get their turn in between.
 */
export const payloadReader = (kind: EntryKind, environments: ReadonlySet<string>, isHistory = false) => {
  const validate = compileSchema(payloadSchemas[kind])
  const check = payloadCheck(kind, isHistory)
  const checkEnvironment = environmentCheck(environments)
  const countPlain = kind === 'track' ? plainEventCounter() : undefined

  /** Reads one part of the body, or all of it; `before` payloads come before the part. */
  const readSlice = (sent: Buffer, writable: ReadonlySet<string>, before: number): Payloads => {
    const json = parseJson(sent, before === 0 ? 'The body' : `The body from ${kind} ${before} on`)
    const { text, value } = json
    const isSingle = !Array.isArray(value)
    const list = (isSingle ? [value] : value) as Payload[]
    if (!validate(list)) {
      throw refuse(400, 'invalid-body', `${describe(validate.errors?.[0], isSingle, before)}.`)
    }
    const counts = countFields(json.bytes)
    const marks = { ids: 0, times: 0 }
    const aside: number[] = []
    let isRewritten = false
    for (let at = 0; at < list.length; at++) {
      const where = isSingle ? kind : `${kind} ${before + at}`
      if (Object.keys(list[at]!).length !== counts[at]) {
        throw refuse(400, 'invalid-body', `${where}: one of its fields comes twice. Send each once.`)
      }
      checkEnvironment(list[at]!, where, writable)
      const checked = check(list[at]!, where, marks)
      isRewritten ||= checked.isRewritten
      if (checked.isAside) aside.push(before + at)
    }
    const mended = isRewritten ? mend(kind, json.bytes) : text
    return { count: list.length, body: storableBody(json, isSingle ? `[${mended}]` : mended), aside, marks }
  }

  const readSlices = async (bytes: Buffer, writable: ReadonlySet<string>): Promise<Payloads> => {
    let count = 0
    let isAsSent = true
    const marks = { ids: 0, times: 0 }
    const aside: number[] = []
    const bodies: Buffer[] = []
    for (const slice of sliceItems(bytes)) {
      if (bodies.length > 0) await otherWork()
      const read = readSlice(slice, writable, count)
      count += read.count
      isAsSent &&= read.body === slice
      bodies.push(read.body)
      aside.push(...read.aside)
      marks.ids += read.marks.ids
      marks.times += read.marks.times
    }
    return { count, body: isAsSent ? bytes : joinSlices(bodies), aside, marks }
  }

  return (sent: Buffer, writable: ReadonlySet<string>): Payloads | Promise<Payloads> => {
    const plain = countPlain?.(sent, writable)
    if (plain === undefined) return readSlices(withoutMark(sent), writable)
    return { count: plain, body: sent, aside: [], marks: { ids: 0, times: 0 } }
  }
}
