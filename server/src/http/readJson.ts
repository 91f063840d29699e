import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { Ajv } from 'ajv'
import { refuse, shorten } from './HttpError.js'
import { halfFinder } from './json/storableJson.js'
import { readUnpacked } from './readBody.js'

/**
 * Compiles a schema of this service to a function that checks values. By default ajv compiles the schema of schemas first,
 * in each instance anew: that took 25 ms of every body and parameter list, and a quarter of the service's start.
 */
export const compileSchema = <T>(schema: object, { coerceTypes = false } = {}) =>
  new Ajv({ allowUnionTypes: true, meta: false, validateSchema: false, coerceTypes }).compile<T>(schema)

/** Refuses a query parameter that is unknown or comes twice: to ignore it would not do what its sender meant. */
export const checkParameters = (search: URLSearchParams, known: readonly string[]): void => {
  const seen = new Set<string>()
  for (const name of search.keys()) {
    const short = JSON.stringify(shorten(name))
    if (!known.includes(name)) {
      throw refuse(
        400,
        'invalid-parameter',
        `There is no parameter ${short} here; there are ${known.join(', ')}.`,
      )
    }
    if (seen.has(name)) throw refuse(400, 'invalid-parameter', `The parameter ${short} comes twice.`)
    seen.add(name)
  }
}

export interface JsonBody {
  /** The bytes as they were sent, without a byte order mark. */
  bytes: Buffer
  text: string
  value: unknown
}

/** Removes a byte order mark, which some clients send although it is not JSON. */
export const withoutMark = (body: Buffer): Buffer =>
  body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? body.subarray(3) : body

/** V8 quotes the text around a mistake by code units, and may cut a character in half. */
const halves = /\p{Surrogate}/gu

/** Parses a body. A refusal says where it is not JSON; `what` names the body or the part of it in the message. */
export const parseJson = (body: Buffer, what = 'The body'): JsonBody => {
  const bytes = withoutMark(body)
  if (bytes.length === 0) {
    throw refuse(400, 'invalid-json', 'The body is empty. Send JSON.')
  }
  if (!isUtf8(bytes)) {
    throw refuse(400, 'invalid-json', `${what} is not valid UTF-8.`)
  }
  const text = bytes.toString('utf8')
  try {
    return { bytes, text, value: JSON.parse(text) as unknown }
  } catch (error) {
    const reason = error instanceof Error ? shorten(error.message.replaceAll(halves, ''), 200) : 'unreadable'
    throw refuse(400, 'invalid-json', `${what} is not JSON: ${reason}`)
  }
}

/** Parses a body, and refuses one that holds half of a character. */
export const parseWhole = (body: Buffer, what = 'The body'): JsonBody => {
  const json = parseJson(body, what)
  const problem = halfFinder(json.bytes)(json.value)
  if (problem !== undefined) throw refuse(400, 'invalid-body', `${what}: ${problem}.`)
  return json
}

/** Makes a function that refuses a value of another shape, and names the field with the first mistake. */
export const shapeChecker = (schema: object, { coerceTypes = false } = {}) => {
  const validate = compileSchema(schema, { coerceTypes })
  return (value: unknown): void => {
    if (validate(value)) return
    const [error] = validate.errors ?? []
    const field = error?.instancePath.slice(1) || 'The body'
    const allowed = (error?.params as { allowedValues?: unknown[] } | undefined)?.allowedValues
    const values = allowed ? ` (${allowed.filter((each) => each !== null).join(', ')})` : ''
    const message = `${field} ${error?.message ?? 'is invalid'}${values}.`
    throw refuse(400, 'invalid-body', message)
  }
}

/** Refuses a body that does not say it is JSON: with another type a page of any site could send it without a preflight. */
export const mustBeJson = ({ headers }: IncomingMessage): void => {
  if (!/^application\/json\b/i.test(headers['content-type'] ?? ''))
    throw refuse(400, 'invalid-headers', 'Content-Type must be application/json.')
}

/** Makes a function that reads a JSON body of one shape. */
export const bodyReader = <T>(schema: object, maxBytes: number) => {
  const check = shapeChecker(schema)
  return async (request: IncomingMessage): Promise<T> => {
    const { value } = parseWhole(await readUnpacked(request, maxBytes))
    check(value)
    return value as T
  }
}
