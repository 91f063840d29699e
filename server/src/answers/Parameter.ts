import { refuseField } from '../sql/refuse.js'
import { identifier, Moment, type Sql, sql } from './sql.js'

/** What has a field: events, sessions, both, or people. */
type FieldOf = 'events' | 'sessions' | 'both' | 'people'

/** The columns that answers are filtered by and told apart by. */
const columns = new Map<string, FieldOf>(
  Object.entries({
    events: 'path event release host viewport',
    sessions: 'entry exit channel referrer_host page_views duration_seconds engaged_seconds',
    both:
      'utm_source utm_medium utm_campaign utm_term utm_content click_id browser os device screen_class ' +
      'country language person_id session_id device_id',
  }).flatMap(([of, names]) => names.split(' ').map((name) => [name, of as FieldOf] as const)),
)
/** Columns with numbers. */
export const numeric: ReadonlySet<string> = new Set(['page_views', 'duration_seconds', 'engaged_seconds'])
/** Columns whose values stand for one person, browser or visit; they are compared letter by letter. */
export const personal: ReadonlySet<string> = new Set(['person_id', 'session_id', 'device_id', 'click_id'])

const marks = { 'prop.': 'events', 'trait.': 'people' } as const

const markOf = (name: string) =>
  (Object.keys(marks) as (keyof typeof marks)[]).find((mark) => name.startsWith(mark) && name !== mark)

/** What has a field of this name: a column's, `prop.` and the name of a property, or `trait.` and that of a trait. */
export const fieldOf = (name: string): FieldOf | undefined => {
  const mark = markOf(name)
  return mark === undefined ? columns.get(name) : marks[mark]
}

const fieldNames = [...columns.keys(), 'prop.NAME', 'trait.NAME'].join(', ')

/** A field of a row of events or sessions as a text; a trait, of one of people. */
export const fieldSql = (name: string): Sql => {
  const mark = markOf(name)
  if (mark === undefined) return numeric.has(name) ? sql`${identifier(name)}::VARCHAR` : identifier(name)
  return sql`analytics.prop(${mark === 'trait.' ? sql`traits` : sql`properties`}, ${name.slice(mark.length)})`
}

/** A field as a finite number; NULL where it is none. */
export const numberSql = (name: string): Sql => {
  if (numeric.has(name)) return identifier(name)
  const number = sql`TRY_CAST(${fieldSql(name)} AS DOUBLE)`
  return sql`CASE WHEN isfinite(${number}) THEN ${number} END`
}

/** Why guests may not have a field. Whoever makes a link chooses its properties; guests choose none, because one may hold anything about a person. */
export const refuseToGuests = (name: string, isOfGuest: boolean): string | undefined => {
  const mark = markOf(name)
  const isRefused = mark === undefined ? personal.has(name) : isOfGuest || mark === 'trait.'
  return isRefused ? `Guests may not ask for ${name}.` : undefined
}

/** What may be said of an answer. */
export interface Parameter<T> {
  about: string
  /** The JSON schema of its values. */
  schema: Readonly<Record<string, unknown>>
  /** Undefined where it must be given. */
  fallback?: T
  /** Makes what the SQL needs of a value that fits the schema; throws when it is wrong all the same. */
  read?(value: never, name: string): T
  /** Why guests may not have a value; `isOfGuest` where a guest has chosen it, and not the maker of the link. */
  refuse?(value: never, isOfGuest: boolean): string | undefined
  /** A link that shows one answer leaves this to its guests. */
  isFree?: true
}

export type Parameters = Readonly<Record<string, Parameter<unknown>>>
/** The values of some parameters. */
export type Given<P> = { [Name in keyof P]: P[Name] extends Parameter<infer T> ? T : never }

const maxText = 500

export const text = (about: string): Parameter<string> => ({
  about,
  schema: { type: 'string', minLength: 1, maxLength: maxText },
})
export const flag = (about: string): Parameter<boolean> => ({
  about,
  schema: { type: 'boolean' },
  fallback: false,
})
export const count = (about: string, fallback: number, maximum: number): Parameter<number> => ({
  about,
  schema: { type: 'integer', minimum: 1, maximum },
  fallback,
})
export const list = (about: string, minItems: number, maxItems: number): Parameter<readonly string[]> => ({
  about,
  schema: { type: 'array', items: { type: 'string', maxLength: maxText }, minItems, maxItems },
})
export const oneOf = <const T extends string>(about: string, values: readonly T[]): Parameter<T> => ({
  about,
  schema: { type: 'string', enum: values },
})

/** May be left out, or be null. */
export const optional = <T>(parameter: Parameter<T>): Parameter<T | null> => {
  const { read, refuse, schema } = parameter
  const values = schema['enum'] as unknown[] | undefined
  return {
    ...parameter,
    schema: { ...schema, nullable: true, ...(values && { enum: [...values, null] }) },
    fallback: null,
    ...(read && { read: (value: never, name) => (value === null ? null : read(value, name)) }),
    ...(refuse && { refuse: (value: never, is) => (value === null ? undefined : refuse(value, is)) }),
  }
}
export const usually = <T>(parameter: Parameter<T>, fallback: NoInfer<T>): Parameter<T> => ({
  ...parameter,
  fallback,
})
/** A link leaves the value to its guests. Such a parameter has a usual value, because the link has none. */
export const free = <T>(parameter: Parameter<T>): Parameter<T> => ({ ...parameter, isFree: true })

const momentForm = /^(\d{4}-\d\d-\d\d)(?:[ T]\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?:Z|[+-]\d\d(?::?\d\d)?)?)?$/
const isDay = (day: string) => {
  const date = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day)
}
const readMoment = (value: string, name: string): Moment => {
  const day = momentForm.exec(value)?.[1]
  if (day !== undefined && isDay(day)) return new Moment(value)
  throw refuseField(
    `${name} must be a moment such as 2026-10-01 or 2026-10-01T08:00:00Z, not ${JSON.stringify(value)}.`,
  )
}
const moment = (about: string): Parameter<Moment> => ({
  about,
  schema: { type: 'string', maxLength: 40 },
  read: readMoment,
})

const readField = (value: string, name: string): string => {
  if (fieldOf(value) !== undefined) return value
  const marked = [`prop.${value}`, `trait.${value}`].map((each) => JSON.stringify(each)).join(' or ')
  throw refuseField(
    `${name}: there is no field ${JSON.stringify(value)}. A property or trait of this name is ${marked}; there are ${fieldNames}.`,
  )
}
/** A column of events or sessions, a property or a trait. */
export const field = (about: string): Parameter<string> => ({
  ...text(about),
  read: readField,
  refuse: refuseToGuests,
})

const ofNumbers = ['above', 'at_least', 'below', 'at_most', 'between'] as const
/** What people did, or did not. */
const deeds = ['did', 'did_not'] as const
const operators = ['is', 'not', 'contains', 'in', 'out', ...ofNumbers, ...deeds] as const
export type Operator = (typeof operators)[number]

export interface Condition {
  /** A field; of a deed `event`. */
  field: string
  operator: Operator
  /** One; some for `in` and `out` and a deed, two for `between`. An empty text is no value; of a deed, any event. */
  values: readonly string[]
  /** How it is joined with what stands before it: `or` may be met instead; `with` is of the same event as that deed. */
  join?: 'and' | 'or' | 'with'
  /** How often a deed was done at least. */
  times?: number
  /** In how many days before the end of the time a deed was done; without it: in the time. */
  days?: number
  /** A deed: `days` are those behind it, in the time. An empty text: behind the first that is known of the person. */
  after?: string
}

const isIn = (names: readonly Operator[], { operator }: Condition) => names.includes(operator)
export const isDeed = (condition: Condition): boolean => isIn(deeds, condition)

/** What is wrong with a condition that stands behind others. */
const findMistake = (each: Condition, before: readonly Condition[]): string | undefined => {
  const { field: asked, operator, values, join = 'and', times, days, after } = each
  const head = before.findLast((other) => other.join !== 'with')
  const hasDeed = head !== undefined && isDeed(head)
  if (join !== 'and' && head === undefined) return `join must be "and" where nothing stands before it.`
  if (join === 'with' && !hasDeed) return `join "with" must stand behind what people did.`
  const isOften = times !== undefined || days !== undefined || after !== undefined
  if (isDeed(each) ? join === 'with' || asked !== 'event' : isOften)
    return `only the field event can be what people did, with times, days and after.`
  if (after !== undefined && days === undefined) return `after must have days: in how many days behind it.`
  if (join === 'with' && !['events', 'both'].includes(fieldOf(asked) ?? ''))
    return `join "with" must be of a field of events.`
  if (
    numeric.has(asked) &&
    (operator === 'contains' || !values.every((value) => value === '' || isNumber(value)))
  )
    return `${asked} must be compared with numbers.`
  if (!isIn(ofNumbers, each)) return undefined
  const isWrong = values.length !== (operator === 'between' ? 2 : 1) || !values.every(isNumber)
  return isWrong ? `values must be ${operator === 'between' ? 'two numbers' : 'a number'}.` : undefined
}
const isNumber = (value: string) => value.trim() !== '' && Number.isFinite(Number(value))

const most = { type: 'integer', minimum: 1, maximum: 10_000 }
const segmentSchema = {
  type: 'array',
  maxItems: 50,
  items: {
    type: 'object',
    required: ['field', 'operator', 'values'],
    properties: {
      field: { type: 'string', maxLength: maxText },
      operator: { type: 'string', enum: operators },
      values: { type: 'array', items: { type: 'string', maxLength: maxText }, minItems: 1, maxItems: 200 },
      join: { type: 'string', enum: ['and', 'or', 'with'] },
      times: most,
      days: most,
      after: { type: 'string', maxLength: maxText },
    },
    additionalProperties: false,
  },
}
const readSegment = (conditions: readonly Condition[], name: string): readonly Condition[] => {
  for (const [at, each] of conditions.entries()) {
    readField(each.field, name)
    const mistake = findMistake(each, conditions.slice(0, at))
    if (mistake !== undefined) throw refuseField(`${name}/${at}: ${mistake}`)
  }
  return conditions
}
const refuseSegment = (conditions: readonly Condition[], isOfGuest: boolean) =>
  conditions.map((each) => refuseToGuests(each.field, isOfGuest)).find(Boolean)

const where: Parameter<readonly Condition[]> = {
  about:
    'The segment: conditions on events, sessions and persons, all of which must be met. One with `join: "or"` may be met instead of the one before it.',
  schema: segmentSchema,
  fallback: [],
  read: readSegment,
  refuse: refuseSegment,
}

/** A segment for each of some things in their order. */
export const segments = (about: string, maxItems: number): Parameter<readonly (readonly Condition[])[]> => ({
  about,
  schema: { type: 'array', items: segmentSchema, maxItems },
  fallback: [],
  read: (lists: readonly (readonly Condition[])[], name) =>
    lists.map((each, at) => readSegment(each, `${name}/${at}`)),
  refuse: (lists: readonly (readonly Condition[])[], isOfGuest) =>
    lists.map((each) => refuseSegment(each, isOfGuest)).find(Boolean),
})

export interface Period {
  from: Moment | Sql | null
  until: Moment | null
}

/** What every answer is about. */
export interface Scope extends Period {
  environment: string
  bots: boolean
  where: readonly Condition[]
}

export const scope = {
  environment: usually(text('One environment.'), 'production'),
  bots: flag('Whether bots count.'),
  from: free(
    optional(
      moment('The beginning, such as 2026-10-01 or 2026-10-01T08:00:00Z. Without it: from the first event.'),
    ),
  ),
  until: free(optional(moment('The end, which does not belong to the time.'))),
  where,
}

export const anonymous = flag('Whether visitors counted without consent count, too.')

export const timezone: Parameter<string> = free({
  about: 'Where a day begins, such as Europe/Vienna.',
  schema: { type: 'string', pattern: String.raw`^[\w+/:-]{1,100}$` },
  fallback: 'UTC',
})

export const before: Parameter<Period | null> = free(
  optional({
    about: 'What the time is compared with.',
    schema: {
      type: 'object',
      required: ['from', 'until'],
      properties: { from: { type: 'string' }, until: { type: 'string' } },
      additionalProperties: false,
    },
    read: ({ from, until }: { from: string; until: string }, name) => ({
      from: readMoment(from, `${name}.from`),
      until: readMoment(until, `${name}.until`),
    }),
  }),
)

export const unit = free(usually(oneOf('What a row is.', ['hour', 'day', 'week', 'month']), 'day'))
