import { Ajv, type ErrorObject } from 'ajv'
import { refuse } from '../http/HttpError.js'
import { parseJson } from '../http/readJson.js'
import { createFieldRewriter } from '../json/createFieldRewriter.js'
import { checkTimestamp } from '../json/checkTimestamp.js'
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
const describe = (error: ErrorObject | undefined, single: boolean) => {
  const path = error?.instancePath ?? ''
  return `${single ? path.replace(/^\/0/, '') || 'the body' : path || 'the body'} ${error?.message ?? 'is invalid'}`
}

/** Checks a body of one kind; a whole array is fine, or none of it is taken. */
export const payloadReader = (kind: EntryKind, environments: ReadonlySet<string>) => {
  const validate = new Ajv({ allowUnionTypes: true }).compile(payloadSchemas[kind])
  const check = payloadCheck(kind)
  const checkEnvironment = environmentCheck(environments)
  const countPlain = kind === 'track' ? plainEventCounter() : undefined

  return (sent: Buffer, writable: ReadonlySet<string>): Payloads => {
    const plain = countPlain?.(sent, writable)
    if (plain !== undefined) return { count: plain, body: sent }
    const json = parseJson(sent)
    const { text, value } = json
    const single = !Array.isArray(value)
    const list = (single ? [value] : value) as Payload[]
    if (!validate(list)) {
      throw refuse(400, 'invalid-body', `${describe(validate.errors?.[0], single)}.`)
    }
    let rewritten = false
    for (let at = 0; at < list.length; at++) {
      const where = single ? kind : `${kind} ${at}`
      checkEnvironment(list[at]!, where, writable)
      rewritten = check(list[at]!, where) || rewritten
    }
    if (writable !== environments) checkRepeated(json.bytes, writable)
    const told = rewritten ? mendTimestamps(json.bytes) : text
    const whole = single ? `[${told}]` : told
    return { count: list.length, body: storableBody(json, whole) }
  }
}
