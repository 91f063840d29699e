import type { IncomingMessage } from 'node:http'
import { Ajv } from 'ajv'
import { parseJson } from './parseJson.js'
import { readBody } from './readBody.js'
import { Refusal } from './Refusal.js'

/** Reads a JSON body of one shape, or refuses it with the place of its first mistake. */
export const createBodyReader = <T>(schema: object, maxBytes: number) => {
  const validate = new Ajv({ allowUnionTypes: true }).compile(schema)
  return async (request: IncomingMessage): Promise<T> => {
    const { value } = parseJson(await readBody(request, maxBytes))
    if (validate(value)) return value as T
    const [error] = validate.errors ?? []
    const place = error?.instancePath.slice(1) || 'The body'
    const allowed = (error?.params as { allowedValues?: unknown[] } | undefined)?.allowedValues
    const values = allowed ? ` (${allowed.filter((each) => each !== null).join(', ')})` : ''
    const message = `${place} ${error?.message ?? 'is invalid'}${values}.`
    throw new Refusal(400, { error: 'invalid-body', message })
  }
}
