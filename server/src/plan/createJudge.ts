import { type ValidateFunction, Ajv2020, type FuncKeywordDefinition } from 'ajv/dist/2020.js'
import type { ErrorObject, SchemaValidateFunction } from 'ajv'
import { RE2JS } from 're2js'
import type { TrackPayload } from '../payloads/payloads.js'
import { shorten } from '../http/HttpError.js'

/** Even in linear time a text of megabytes would take long. */
const maxTextLength = 10_000

/**
 * RE2's expressions take a time that is linear in the text; with JavaScript's own, one event could keep the engine busy
 * for minutes. They cannot look ahead, look back or refer back.
 */
const compilePattern = (pattern: string) => {
  try {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern))
    return {
      test: (text: string) => text.length <= maxTextLength && compiled.test(text),
      toString: () => pattern,
    }
  } catch (error) {
    const reason = (error as Error).message.replace(/^error parsing regexp: /, '')
    throw new Error(`the pattern ${JSON.stringify(pattern)} is none of RE2 (${reason})`, { cause: error })
  }
}
const regExp = Object.assign(compilePattern, { code: 'compilePattern' })

/** JSON of a value in which the order of names does not matter. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )

/** Compares texts: ajv compares each item with each other. */
const areUnique: SchemaValidateFunction = (isAsked: boolean, items: unknown[]) => {
  areUnique.errors = [{ keyword: 'uniqueItems', message: 'must NOT have duplicate items', params: {} }]
  return !isAsked || new Set(items.map(canonical)).size === items.length
}
const uniqueItems: FuncKeywordDefinition = {
  keyword: 'uniqueItems',
  type: 'array',
  schemaType: 'boolean',
  validate: areUnique,
}

/** `format` is left to whoever reads the plan, as JSON Schema does by default. */
export const createCompiler = (isChecking: boolean): Ajv2020 => {
  const compiler = new Ajv2020({
    strict: false,
    validateFormats: false,
    // The error says it; ajv would print the code that it has made, too.
    logger: false,
    validateSchema: isChecking,
    meta: isChecking,
    code: { regExp },
    // `constructor` is missing where it was not sent.
    ownProperties: true,
  })
  return compiler.removeKeyword('uniqueItems').addKeyword(uniqueItems)
}

/**
 * A plan lists what there is, so a schema that does not speak of further properties allows none. An identifier would
 * collide with that of another event, and the result of `$async` would be a promise.
 */
export const compileEvent = (compiler: Ajv2020, schema: object): ValidateFunction => {
  const { $id: _id, $schema: _schema, $async: _async, ...own } = schema as Record<string, unknown>
  const isClosed = 'additionalProperties' in own || 'unevaluatedProperties' in own
  return compiler.compile(isClosed ? own : { ...own, unevaluatedProperties: false })
}

const most = 200

const withArticle = (type: string) =>
  type === 'null' ? type : `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`

const listTypes = (types: readonly string[]) => `must be ${types.map(withArticle).join(' or ')}`

const show = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

/** `items[].price` of `/items/0/price`: which place of a list it was says nothing of the plan. */
const nameOf = (path: string): string =>
  path
    .slice(1)
    .split('/')
    .map((part) => (/^\d+$/.test(part) ? '[]' : part.replaceAll('~1', '/').replaceAll('~0', '~')))
    .join('.')
    .replaceAll('.[]', '[]')

/** Says what the forms of a schema with several forms ask for: their types where these alone are wrong. */
const describeForms = (errors: readonly ErrorObject[], path: string): string => {
  const forms = errors.slice(0, -1)
  return forms.every(({ keyword, instancePath }) => keyword === 'type' && instancePath === path)
    ? listTypes([...new Set(forms.flatMap(({ params }) => params['type'] as string[]))])
    : 'is none of what the plan allows'
}

/** What is wrong, and the name of what it is wrong with within the object at the error's path, if that is not all of it. */
const read = (errors: readonly ErrorObject[]): { name?: string; problem: string } => {
  const { keyword, params, message, instancePath } = errors.at(-1)!
  switch (keyword) {
    case 'required':
    case 'dependentRequired':
      return { name: String(params['missingProperty']), problem: 'is missing' }
    case 'additionalProperties':
      return { name: String(params['additionalProperty']), problem: 'is not in the plan' }
    case 'unevaluatedProperties':
      return { name: String(params['unevaluatedProperty']), problem: 'is not in the plan' }
    case 'false schema':
      return { problem: 'is not in the plan' }
    case 'items':
    case 'unevaluatedItems':
      return { name: '[]', problem: 'is not in the plan' }
    case 'type':
      return { problem: listTypes([params['type'] as string | string[]].flat()) }
    case 'enum':
      return { problem: `must be one of ${(params['allowedValues'] as unknown[]).map(show).join(', ')}` }
    case 'const':
      return { problem: `must be ${show(params['allowedValue'])}` }
    case 'anyOf':
    case 'oneOf':
      return { problem: describeForms(errors, instancePath) }
    default:
      return { problem: message ?? 'is wrong' }
  }
}

/**
 * The first problem of an event's properties, as `total: must be a number`. It names properties, and what the plan says
 * of them, but never a value that was sent.
 */
export const describeProblem = (errors: readonly ErrorObject[]): string => {
  const { name, problem } = read(errors)
  const path = nameOf(errors.at(-1)!.instancePath)
  const property =
    [path, name]
      .filter(Boolean)
      .join('.')
      .replace(/\.\[\]$/, '[]') || 'properties'
  return `${shorten(property, most)}: ${shorten(problem, most)}`
}

/** The events of waymark's own plugins, which no plan lists: they are always valid, as is each event of a name with `$`. */
const ownEvents: ReadonlySet<string> = new Set([
  'Error Caught',
  'File Downloaded',
  'Form Submitted',
  'Outbound Link Clicked',
  'Page Engaged',
  'Web Vital',
])

export const isOwnEvent = (name: string): boolean => name.charCodeAt(0) === 0x24 || ownEvents.has(name)

const campaign = 'utm_(?:source|medium|campaign|term|content)'
const clickIds = '[gd]clid|fbclid|msclkid|t[tw]clid|li_fat_id'

/** An expression of what the library and its plugins add to events of any name, besides the properties with `$`. */
export const addedProperties = `(?:insert_id|browser_time_zone|form_(?:id|name|action)|${clickIds}|(?:first|last)_(?:${campaign}|${clickIds}|referrer|landing_url))`

const added = new RegExp(`^${addedProperties}$`)

export const isOwnProperty = (name: string): boolean => name.charCodeAt(0) === 0x24 || added.test(name)

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
