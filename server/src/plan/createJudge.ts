import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { TrackPayload } from '../analytics/payloads.js'
import { describeProblem } from './describeProblem.js'
import { isOwnEvent, isOwnProperty } from './ownNames.js'

/** The schemas of events' properties, by the events' names. */
export type PlannedEvents = Readonly<Record<string, object>>

/** How the events of one name are judged. */
export interface EventJudge {
  /** Whether the plan lists properties that are the library's own. */
  listsOwn: boolean
  /** Gives `valid`, or what is wrong, which has a colon. */
  judge(properties: Readonly<Record<string, unknown>>): string
}

/** Says how the events of a name are judged; `valid` or `unplanned` where their properties do not matter. */
export type Judge = (event: string) => 'valid' | 'unplanned' | EventJudge

/** `format` is left to whoever reads the plan, as JSON Schema does by default. */
export const createCompiler = (isChecking: boolean) =>
  new Ajv2020({
    strict: false,
    validateFormats: false,
    validateSchema: isChecking,
    meta: isChecking,
    // `constructor` is missing where it was not sent.
    ownProperties: true,
  })

/**
 * A plan lists what there is, so a schema that does not speak of further properties allows none. An identifier would
 * collide with that of another event, and the result of `$async` would be a promise.
 */
export const compileEvent = (compiler: Ajv2020, schema: object): ValidateFunction => {
  const { $id: _id, $schema: _schema, $async: _async, ...own } = schema as Record<string, unknown>
  const isClosed = 'additionalProperties' in own || 'unevaluatedProperties' in own
  return compiler.compile(isClosed ? own : { ...own, unevaluatedProperties: false })
}

const judgeOf = (validate: ValidateFunction, schema: object): EventJudge => {
  const { properties: listed = {} } = schema as { properties?: object }
  const isPlanned = (name: string) => !isOwnProperty(name) || Object.hasOwn(listed, name)
  const plannedOf = (properties: Readonly<Record<string, unknown>>) => {
    for (const name in properties)
      if (!isPlanned(name))
        return Object.fromEntries(Object.entries(properties).filter(([key]) => isPlanned(key)))
    return properties
  }
  return {
    listsOwn: Object.keys(listed).some(isOwnProperty),
    judge(properties) {
      try {
        return validate(plannedOf(properties)) ? 'valid' : describeProblem(validate.errors!)
      } catch (error) {
        // A schema that names itself goes as deep as the event does.
        if (error instanceof RangeError) return 'properties: are nested too deep'
        throw error
      }
    },
  }
}

/** Makes a judge of a plan. A schema is compiled when its first event comes. */
export const createJudge = (events: PlannedEvents): Judge => {
  const compiler = createCompiler(false)
  const judges = new Map<string, EventJudge>()

  return (event) => {
    if (isOwnEvent(event)) return 'valid'
    let judge = judges.get(event)
    if (judge === undefined) {
      if (!Object.hasOwn(events, event)) return 'unplanned'
      const schema = events[event]!
      judges.set(event, (judge = judgeOf(compileEvent(compiler, schema), schema)))
    }
    return judge
  }
}

/** The verdict of one event. */
export const judgeEvent = (
  judge: Judge,
  { event, properties }: Pick<TrackPayload, 'event' | 'properties'>,
): string => {
  const byPlan = judge(event)
  return typeof byPlan === 'string' ? byPlan : byPlan.judge(properties)
}
