import { Ajv, type ErrorObject } from 'ajv'
import type { JsonBody } from '../http/parseJson.js'
import { createPayloadCheck, type Payload } from './checkPayload.js'
import { payloadSchemas } from './payloadSchemas.js'
import { mendSurrogates } from './mendSurrogates.js'
import type { EntryKind } from './payloads.js'
import { refuseIngest } from './refuseIngest.js'

export interface Payloads {
  count: number
  /** A JSON array, as sent wherever it can be stored as sent. */
  text: string
}

/** `/3/event` of an array, `/event` of a single object. */
const describe = (error: ErrorObject | undefined, single: boolean) => {
  const path = error?.instancePath ?? ''
  return `${single ? path.replace(/^\/0/, '') || 'the body' : path || 'the body'} ${error?.message ?? 'is invalid'}`
}

/** Checks a body of one kind; a whole array is fine, or none of it is taken. */
export const createPayloadReader = (kind: EntryKind, environments: ReadonlySet<string>) => {
  const validate = new Ajv({ allowUnionTypes: true }).compile(payloadSchemas[kind])
  const check = createPayloadCheck(kind, environments)

  return ({ text, value }: JsonBody): Payloads => {
    const single = !Array.isArray(value)
    const list = (single ? [value] : value) as Payload[]
    if (!validate(list)) {
      throw refuseIngest(400, 'invalid-body', `${describe(validate.errors?.[0], single)}.`)
    }
    let rewritten = false
    for (let at = 0; at < list.length; at++) {
      rewritten = check(list[at]!, single ? kind : `${kind} ${at}`) || rewritten
    }
    const whole = rewritten ? JSON.stringify(list) : single ? `[${text}]` : text
    return { count: list.length, text: mendSurrogates(whole) }
  }
}
