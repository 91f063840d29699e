import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { OperatorError } from '../OperatorError.js'
import { compileEvent, createCompiler } from './compileEvent.js'
import type { PlannedEvents } from './createJudge.js'

export interface Plan {
  /** The hash of `events`, by which the log and the store name the plan. */
  id: string
  events: PlannedEvents
}

/** The plan is one row of the log. */
const maxBytes = 2 ** 20

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const check = (text: string): PlannedEvents => {
  if (Buffer.byteLength(text) > maxBytes) throw new Error('it has more than 1 MiB')
  const plan: unknown = JSON.parse(text)
  if (!isObject(plan) || !('events' in plan) || !isObject(plan.events))
    throw new Error(
      'it reads { "events": { "Order Completed": a JSON Schema, … } }; `npx waymark plan` makes it',
    )
  const compiler = createCompiler(true)
  for (const [event, schema] of Object.entries(plan.events)) {
    try {
      if (!isObject(schema)) throw new Error('its schema is no object')
      compileEvent(compiler, schema)
    } catch (error) {
      throw new Error(`event ${JSON.stringify(event)}: ${(error as Error).message}`, { cause: error })
    }
  }
  return plan.events as PlannedEvents
}

/** Reads the plan of `--plan`. Throws an OperatorError that names the file, and the event whose schema is wrong. */
export const readPlan = (path: string): Plan => {
  try {
    const events = check(readFileSync(path, 'utf8'))
    const id = createHash('sha256').update(JSON.stringify(events)).digest('hex').slice(0, 16)
    return { id, events }
  } catch (error) {
    throw new OperatorError(`The plan ${path} cannot be used: ${(error as Error).message}.`)
  }
}
