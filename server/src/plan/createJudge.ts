import type { ValidateFunction } from 'ajv/dist/2020.js'
import type { TrackPayload } from '../analytics/payloads.js'
import { compileEvent, createCompiler } from './compileEvent.js'
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

/** A schema that names itself goes as deep as the event does, and each of its forms may do so anew at each level. */
const maxDepth = 10

const isDeeper = (value: unknown, than: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (than === 0 || Object.values(value).some((inner) => isDeeper(inner, than - 1)))

const judgeOf = (validate: ValidateFunction, schema: object): EventJudge => {
  const { properties: listed = {} } = schema as { properties?: object }
  const isPlanned = (name: string) => !isOwnProperty(name) || Object.hasOwn(listed, name)
  const plannedOf = (properties: Readonly<Record<string, unknown>>) => {
    for (const name in properties)
      if (!isPlanned(name))
        return Object.fromEntries(Object.entries(properties).filter(([key]) => isPlanned(key)))
    return properties
  }
  const refers = /"\$(?:dynamicR|r)ef":/.test(JSON.stringify(schema))
  return {
    listsOwn: Object.keys(listed).some(isOwnProperty),
    judge(properties) {
      const planned = plannedOf(properties)
      if (refers && isDeeper(planned, maxDepth)) return 'properties: are nested too deep'
      return validate(planned) ? 'valid' : describeProblem(validate.errors!)
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
