import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { OperatorError, reasonOf } from '../OperatorError.js'
import { type Schemas, traitsSchema, compileEvent, createCompiler } from './createJudge.js'
import type { Logger } from '../Logger.js'
import type { AcceptLog } from '../wal/AcceptLog.js'

/** The kind of the plan's entry in the log. */
export const planKind = 'plan'

const retryMs = 5000

interface LoggedPlan {
  /** The plan that requests name in the log; undefined until the log has the plan itself. */
  readonly id: string | undefined
  stop(): void
}

/**
 * Writes the plan to the log, and again in a while where the log takes nothing. Each request then names the plan by
 * which its events are judged, so that all engines judge alike, whenever they read the log.
 */
export const logPlan = async (plan: Plan, log: AcceptLog, logger: Logger): Promise<LoggedPlan> => {
  let id: string | undefined
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  const body = Buffer.from(JSON.stringify([plan]))
  const write = async () => {
    try {
      await log.append({ kind: planKind, count: 1, receivedAtMs: Date.now(), body })
      id = plan.id
    } catch (error) {
      logger.warn('The log does not take the plan; until it does, events are not judged.', {
        reason: reasonOf(error),
      })
      if (!isStopped) timer = setTimeout(() => void write(), retryMs)
    }
  }
  await write()
  return {
    get id() {
      return id
    },
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}

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
