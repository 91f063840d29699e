import { isObject } from '../../core/json'
import { isOwnEvent, isOwnProperty } from '../../core/ownNames'
import type { Kind, Properties } from '../../core/types'
import type { OverlayOptions } from '../overlay'
import { checkJsonSchema } from './checkJsonSchema'
import { checkStandardSchema, isStandardSchema } from './checkStandardSchema'

/** What the plan says of a call: the same words as the service's, in the columns `plan_verdict` and `plan_problem`. */
export interface Verdict {
  plan: 'valid' | 'unplanned' | 'invalid'
  /** What is wrong, as `total: must be a number`, one for each property. */
  problems: string[]
  /** Where the plan has the event, as `plan.ts:12`. */
  line?: string | undefined
}

export type Plan = NonNullable<OverlayOptions['plan']>

const lineOf = (schema: object) => {
  const { $comment } = schema as { $comment?: unknown }
  return typeof $comment === 'string' ? $comment : undefined
}

const isMissing = (problem: string) => /^[^.[]*: is missing$/.test(problem)

/** Traits are merged, so that none has to be given each time. */
const checkTraits = async (schema: object, given: Properties) => {
  if (isStandardSchema(schema)) return (await check(schema, given)).filter((problem) => !isMissing(problem))
  const { required: _required, ...own } = schema as { required?: unknown }
  return check(own, given)
}

const check = (schema: object, given: Properties) => {
  const listed = (schema as { properties?: unknown }).properties
  const isOwn = (name: string) => isOwnProperty(name) && !(isObject(listed) && Object.hasOwn(listed, name))
  const planned = Object.fromEntries(Object.entries(given).filter(([name]) => !isOwn(name)))
  return isStandardSchema(schema) ? checkStandardSchema(schema, planned) : checkJsonSchema(schema, planned)
}

/** Compares a call with the plan; undefined where the plan says nothing of such a call. */
export async function judge(
  { events, traits }: Plan,
  { kind, name, properties }: { kind: Kind; name: string; properties: Properties },
): Promise<Verdict | undefined> {
  const isEvent = kind === 'track' || kind === 'anonymous'
  if (isEvent && isOwnEvent(name)) return { plan: 'valid', problems: [] }
  const schema = !isEvent ? kind === 'identify' && traits : Object.hasOwn(events, name) && events[name]
  if (!schema) return isEvent ? { plan: 'unplanned', problems: [] } : undefined
  // As the payload has it.
  const problems = await (isEvent ? check : checkTraits)(schema, JSON.parse(JSON.stringify(properties)))
  return { plan: problems[0] ? 'invalid' : 'valid', problems, line: lineOf(schema) }
}
