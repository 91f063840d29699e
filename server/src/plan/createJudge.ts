import type { ValidateFunction } from 'ajv/dist/2020.js'
import type { TrackPayload } from '../analytics/payloads.js'
import { compileEvent, createCompiler } from './compileEvent.js'
import { describeProblem } from './describeProblem.js'
import { isOwnEvent, isOwnProperty } from './ownNames.js'

/** The schemas of a plan. */
export interface Schemas {
  /** Those of events' properties, by the events' names. */
  events: Readonly<Record<string, object>>
  /** Judges what is said of a user. */
  traits?: object
}

/** How the events of one name are judged, or the traits of users. */
export interface SchemaJudge {
  /** Whether the plan lists properties that are the library's own. */
  listsOwn: boolean
  /** Gives `valid`, or what is wrong, which has a colon. */
  judge(properties: Readonly<Record<string, unknown>>): string
}

export interface Judge {
  /** Says how the events of a name are judged; `valid` or `unplanned` where their properties do not matter. */
  ofEvent(name: string): 'valid' | 'unplanned' | SchemaJudge
  /** Undefined where the plan does not speak of traits. */
  ofTraits: SchemaJudge | undefined
}

/** A schema that names itself goes as deep as the event does, and each of its forms may do so anew at each level. */
const maxDepth = 10

const isDeeper = (value: unknown, than: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (than === 0 || Object.values(value).some((inner) => isDeeper(inner, than - 1)))

const judgeOf = (validate: ValidateFunction, schema: object): SchemaJudge => {
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

/** Traits are merged, so that none has to be given each time. */
export const traitsSchema = (schema: object): object => {
  const { required: _required, ...own } = schema as Record<string, unknown>
  return own
}

/** Makes a judge of a plan. The schema of an event is compiled when its first event comes. */
export const createJudge = ({ events, traits }: Schemas): Judge => {
  const compiler = createCompiler(false)
  const judges = new Map<string, SchemaJudge>()
  const make = (schema: object) => judgeOf(compileEvent(compiler, schema), schema)

  return {
    ofEvent(name) {
      if (isOwnEvent(name)) return 'valid'
      let judge = judges.get(name)
      if (judge === undefined) {
        if (!Object.hasOwn(events, name)) return 'unplanned'
        judges.set(name, (judge = make(events[name]!)))
      }
      return judge
    },
    ofTraits: traits && make(traitsSchema(traits)),
  }
}

type Event = Pick<TrackPayload, 'event' | 'properties'>

/** The verdict of one event. */
export const judgeEvent = (judge: Judge, { event, properties }: Event): string => {
  const byPlan = judge.ofEvent(event)
  return typeof byPlan === 'string' ? byPlan : byPlan.judge(properties)
}
