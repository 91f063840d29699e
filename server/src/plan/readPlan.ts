import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { OperatorError } from '../OperatorError.js'
import { compileEvent, createCompiler } from './compileEvent.js'
import { type Schemas, traitsSchema } from './createJudge.js'

export interface Plan {
  /** The hash of the schemas, by which the log and the store name the plan. */
  id: string
  schemas: Schemas
}

/** The plan is one row of the log. */
const maxBytes = 2 ** 20

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * The code that a schema becomes is nested as deep as an object has properties: with 1,000 V8 may run out of stack, and
 * 500 take half a second.
 */
const mostProperties = 500

const checkWidth = (schema: unknown): void => {
  if (typeof schema !== 'object' || schema === null) return
  for (const [keyword, inner] of Object.entries(schema)) {
    const count = keyword === 'properties' && isObject(inner) ? Object.keys(inner).length : 0
    if (count > mostProperties)
      throw new Error(
        `its schema lists ${count} properties of one object, and a plan at most ${mostProperties}`,
      )
    checkWidth(inner)
  }
}

const check = (text: string): Schemas => {
  if (Buffer.byteLength(text) > maxBytes) throw new Error('it has more than 1 MiB')
  const plan: unknown = JSON.parse(text)
  if (!isObject(plan) || !('events' in plan) || !isObject(plan.events))
    throw new Error(
      'it reads { "events": { "Order Completed": a JSON Schema, … } }; `npx waymark plan` makes it',
    )
  const { events, traits } = plan as { events: object; traits?: unknown }
  const compiler = createCompiler(true)
  const compile = (what: string, schema: unknown, read = (given: object) => given) => {
    try {
      if (!isObject(schema)) throw new Error('its schema is no object')
      checkWidth(schema)
      compileEvent(compiler, read(schema))
    } catch (error) {
      const reason = error instanceof RangeError ? 'its schema is too large' : (error as Error).message
      throw new Error(`${what}: ${reason}`, { cause: error })
    }
  }
  for (const [event, schema] of Object.entries(events)) compile(`event ${JSON.stringify(event)}`, schema)
  if (traits === undefined) return { events } as Schemas
  compile('traits', traits, traitsSchema)
  return { events, traits } as Schemas
}

/** Reads the plan of `--plan`. Throws an OperatorError that names the file, and the event whose schema is wrong. */
export const readPlan = (path: string): Plan => {
  try {
    const schemas = check(readFileSync(path, 'utf8'))
    const id = createHash('sha256').update(JSON.stringify(schemas)).digest('hex').slice(0, 16)
    return { id, schemas }
  } catch (error) {
    throw new OperatorError(`The plan ${path} cannot be used: ${(error as Error).message}.`)
  }
}
