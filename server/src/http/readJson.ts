import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { Ajv } from 'ajv'
import { refuse } from './HttpError.js'
import { readBody } from './readBody.js'
import { shorten } from '../json/shorten.js'

export interface JsonBody {
  /** As sent, without a byte order mark. */
  bytes: Buffer
  text: string
  value: unknown
}

/** A byte order mark is no JSON; some clients send it all the same. */
export const withoutMark = (body: Buffer): Buffer =>
  body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? body.subarray(3) : body

/** V8 quotes the place by code units, and may cut a character in half. */
const halves = /\p{Surrogate}/gu

/** The body as text and value; a refusal says where it stopped being JSON, and of what it speaks. */
export const parseJson = (body: Buffer, what = 'The body'): JsonBody => {
  const bytes = withoutMark(body)
  if (bytes.length === 0) {
    throw refuse(400, 'invalid-json', 'The body is empty. Send JSON.')
  }
  if (!isUtf8(bytes)) {
    throw refuse(400, 'invalid-json', 'The body is not valid UTF-8.')
  }
  const text = bytes.toString('utf8')
  try {
    return { bytes, text, value: JSON.parse(text) as unknown }
  } catch (error) {
    const reason = error instanceof Error ? shorten(error.message.replaceAll(halves, ''), 200) : 'unreadable'
    throw refuse(400, 'invalid-json', `${what} is not JSON: ${reason}`)
  }
}

/** Refuses a value that is not of one shape with the place of its first mistake. */
export const shapeChecker = (schema: object, options?: { coerceTypes: boolean }) => {
  const validate = new Ajv({ allowUnionTypes: true, ...options }).compile(schema)
  return (value: unknown): void => {
    if (validate(value)) return
    const [error] = validate.errors ?? []
    const place = error?.instancePath.slice(1) || 'The body'
    const allowed = (error?.params as { allowedValues?: unknown[] } | undefined)?.allowedValues
    const values = allowed ? ` (${allowed.filter((each) => each !== null).join(', ')})` : ''
    const message = `${place} ${error?.message ?? 'is invalid'}${values}.`
    throw refuse(400, 'invalid-body', message)
  }
}

/** Reads a JSON body of one shape. */
export const bodyReader = <T>(schema: object, maxBytes: number) => {
  const check = shapeChecker(schema)
  return async (request: IncomingMessage): Promise<T> => {
    const { value } = parseJson(await readBody(request, maxBytes))
    check(value)
    return value as T
  }
}
