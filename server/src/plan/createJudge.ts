import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { describeProblem } from './describeProblem.js'
import { ownEvents, ownProperties } from './ownNames.js'

/** The schemas of events' properties, by the events' names. */
export type PlannedEvents = Readonly<Record<string, object>>

/** `valid`, `unplanned`, or what is wrong, which has a colon. */
export type Judge = (event: string, properties: Readonly<Record<string, unknown>>) => string

/** `format` is left to whoever reads the plan, as JSON Schema does by default. */
export const createCompiler = (isChecking: boolean) =>
  new Ajv2020({ strict: false, validateFormats: false, validateSchema: isChecking, meta: isChecking })

/**
 * A plan lists what there is, so a schema that does not speak of further properties allows none. An identifier would
 * collide with that of another event, and the result of `$async` would be a promise.
 */
export const compileEvent = (compiler: Ajv2020, schema: object): ValidateFunction => {
  const { $id: _id, $schema: _schema, $async: _async, ...own } = schema as Record<string, unknown>
  const isClosed = 'additionalProperties' in own || 'unevaluatedProperties' in own
  return compiler.compile(isClosed ? own : { ...own, unevaluatedProperties: false })
}

const isOwn = (name: string) => name.charCodeAt(0) === 0x24 || ownProperties.has(name)

const judgeOf = (validate: ValidateFunction, schema: object) => {
  const { properties: listed = {} } = schema as { properties?: object }
  return (properties: Readonly<Record<string, unknown>>): string => {
    // Without a prototype, so that `__proto__` is a name like others and `constructor` is missing where it was not sent.
    const planned = Object.create(null) as Record<string, unknown>
    for (const name in properties) {
      if (!isOwn(name) || Object.hasOwn(listed, name)) planned[name] = properties[name]
    }
    try {
      return validate(planned) ? 'valid' : describeProblem(validate.errors!)
    } catch (error) {
      // A schema that names itself goes as deep as the event does.
      if (error instanceof RangeError) return 'properties: are nested too deep'
      throw error
    }
  }
}

/** Makes a function that says whether an event is as the plan has it. A schema is compiled when its first event comes. */
export const createJudge = (events: PlannedEvents): Judge => {
  const compiler = createCompiler(false)
  const judges = new Map<string, ReturnType<typeof judgeOf>>()

  return (event, properties) => {
    if (event.charCodeAt(0) === 0x24 || ownEvents.has(event)) return 'valid'
    let judge = judges.get(event)
    if (judge === undefined) {
      if (!Object.hasOwn(events, event)) return 'unplanned'
      const schema = events[event]!
      judges.set(event, (judge = judgeOf(compileEvent(compiler, schema), schema)))
    }
    return judge(properties)
  }
}
