import { setImmediate as otherWork } from 'node:timers/promises'
import { Ajv, type ErrorObject } from 'ajv'
import { refuse } from '../http/HttpError.js'
import { parseJson, withoutMark } from '../http/readJson.js'
import { createFieldRewriter } from '../json/createFieldRewriter.js'
import { checkTimestamp } from '../json/checkTimestamp.js'
import { joinSlices, sliceItems } from '../json/sliceItems.js'
import { storableBody } from '../json/storableJson.js'
import { environmentCheck, payloadCheck, type Payload } from './checkPayload.js'
import { plainEventCounter } from './plainEvents.js'
import { payloadSchemas, type EntryKind } from './payloads.js'

export interface Payloads {
  count: number
  /** A JSON array, as sent wherever it can be stored as sent. */
  body: Buffer
}

const timestamps = {
  fields: new Set(['timestamp']),
  rewrite(token: string) {
    const check = token[0] === '"' ? checkTimestamp(JSON.parse(token) as string) : 'plain'
    return typeof check === 'string' ? token : JSON.stringify(check.rewritten)
  },
}

/** Nothing else is written anew: numbers would lose digits. */
const mendTimestamps = (bytes: Buffer): string => createFieldRewriter(timestamps).feed(bytes).toString()

/** JavaScript reads the last of two fields of one name, and DuckDB the first: a limited key may write neither. */
const checkRepeated = (bytes: Buffer, writable: ReadonlySet<string>): void => {
  const rewrite = (token: string) => {
    if (writable.has(String(JSON.parse(token)))) return token
    throw refuse(
      403,
      'environment-not-allowed',
      'This API key may not write to one of the environments named.',
    )
  }
  createFieldRewriter({ fields: new Set(['environment']), rewrite }).feed(bytes)
}

/** `/3/event` of an array, `/event` of a single object. */
const describe = (error: ErrorObject | undefined, single: boolean, before: number) => {
  const path = (error?.instancePath ?? '').replace(/^\/\d+/, (index) =>
    single ? '' : `/${before + Number(index.slice(1))}`,
  )
  return `${path || 'the body'} ${error?.message ?? 'is invalid'}`
}

/**
 * Checks a body of one kind; a whole array is fine, or none of it is taken. A large one is read a slice at a time, so
 * that other requests need not wait for all of it.
 */
export const payloadReader = (kind: EntryKind, environments: ReadonlySet<string>) => {
  const validate = new Ajv({ allowUnionTypes: true }).compile(payloadSchemas[kind])
  const check = payloadCheck(kind)
  const checkEnvironment = environmentCheck(environments)
  const countPlain = kind === 'track' ? plainEventCounter() : undefined

  /** A slice behind so many payloads, or all of the body. */
  const readSlice = (sent: Buffer, writable: ReadonlySet<string>, before: number): Payloads => {
    const json = parseJson(sent, before === 0 ? 'The body' : `The body from ${kind} ${before} on`)
    const { text, value } = json
    const single = !Array.isArray(value)
    const list = (single ? [value] : value) as Payload[]
    if (!validate(list)) {
      throw refuse(400, 'invalid-body', `${describe(validate.errors?.[0], single, before)}.`)
    }
    let rewritten = false
    for (let at = 0; at < list.length; at++) {
      const where = single ? kind : `${kind} ${before + at}`
      checkEnvironment(list[at]!, where, writable)
      rewritten = check(list[at]!, where) || rewritten
    }
    if (writable !== environments) checkRepeated(json.bytes, writable)
    const told = rewritten ? mendTimestamps(json.bytes) : text
    const whole = single ? `[${told}]` : told
    return { count: list.length, body: storableBody(json, whole) }
  }

  const readSlices = async (bytes: Buffer, writable: ReadonlySet<string>): Promise<Payloads> => {
    let count = 0
    let asSent = true
    const bodies: Buffer[] = []
    for (const slice of sliceItems(bytes)) {
      if (bodies.length > 0) await otherWork()
      const read = readSlice(slice, writable, count)
      count += read.count
      asSent &&= read.body === slice
      bodies.push(read.body)
    }
    return { count, body: asSent ? bytes : joinSlices(bodies) }
  }

  return (sent: Buffer, writable: ReadonlySet<string>): Payloads | Promise<Payloads> => {
    const plain = countPlain?.(sent, writable)
    return plain === undefined ? readSlices(withoutMark(sent), writable) : { count: plain, body: sent }
  }
}
