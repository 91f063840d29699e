import { identifier, type Sql, sql } from './sql.js'

/** What has a field: events, sessions, both, or people. */
export type FieldOf = 'events' | 'sessions' | 'both' | 'people'

/** The columns that answers are filtered by and told apart by. */
const columns = new Map<string, FieldOf>(
  Object.entries({
    events: 'path event release host viewport',
    sessions: 'entry exit channel referrer_host',
    both:
      'utm_source utm_medium utm_campaign utm_term utm_content click_id browser os device screen_class ' +
      'country language person_id session_id device_id',
  }).flatMap(([of, names]) => names.split(' ').map((name) => [name, of as FieldOf] as const)),
)
/** Columns whose values stand for one person, browser or visit. */
const personal = new Set(['person_id', 'session_id', 'device_id', 'click_id'])

const marks = { 'prop.': 'events', 'trait.': 'people' } as const

const markOf = (name: string) =>
  (Object.keys(marks) as (keyof typeof marks)[]).find((mark) => name.startsWith(mark) && name !== mark)

/** What has a field of this name: a column's, `prop.` and the name of a property, or `trait.` and that of a trait. */
export const fieldOf = (name: string): FieldOf | undefined => {
  const mark = markOf(name)
  return mark === undefined ? columns.get(name) : marks[mark]
}

export const fieldNames = [...columns.keys(), 'prop.NAME', 'trait.NAME'].join(', ')

/** A field of a row of events or sessions; a trait, of one of people. */
export const fieldSql = (name: string): Sql => {
  const mark = markOf(name)
  if (mark === undefined) return identifier(name)
  return sql`analytics.prop(${mark === 'trait.' ? sql`traits` : sql`properties`}, ${name.slice(mark.length)})`
}

/** Why guests may not have a field. Whoever makes a link chooses its properties; guests choose none, because one may hold anything about a person. */
export const refuseToGuests = (name: string, isOfGuest: boolean): string | undefined => {
  const mark = markOf(name)
  const isRefused = mark === undefined ? personal.has(name) : isOfGuest || mark === 'trait.'
  return isRefused ? `Guests may not ask for ${name}.` : undefined
}
