/** What the filters of a page leave some of. */
export type Counted = 'sessions' | 'events' | 'people'

/** What answers are told apart by and filtered by: a column of events or sessions, a property of events, or a trait. */
export interface Field {
  /** In the address. A column's own name, `prop.` and the name of a property, or `trait.` and that of a trait. */
  name: string
  title: string
  /** What a row without a value is called. */
  none: string
  /** What has it: events, sessions, both, or people. */
  of: 'events' | 'sessions' | 'both' | 'people'
}

const field = (of: Field['of'], name: string, title: string, none = '(none)'): Field => ({
  name,
  title,
  none,
  of,
})

/** Every column that can be chosen. */
export const fields: readonly Field[] = [
  field('events', 'path', 'Page', '(no path)'),
  field('sessions', 'entry', 'Entry page', '(no page)'),
  field('sessions', 'exit', 'Exit page', '(no page)'),
  field('events', 'event', 'Event', '(no name)'),
  field('sessions', 'channel', 'Channel', '(unknown)'),
  field('sessions', 'referrer_host', 'Referrer', '(direct)'),
  field('sessions', 'page_views', 'Pages of the session'),
  field('sessions', 'duration_seconds', 'Seconds of the session'),
  field('sessions', 'engaged_seconds', 'Engaged seconds', '(not recorded)'),
  field('both', 'utm_source', 'Source'),
  field('both', 'utm_medium', 'Medium'),
  field('both', 'utm_campaign', 'Campaign'),
  field('both', 'utm_term', 'Term'),
  field('both', 'utm_content', 'Content'),
  field('both', 'click_id', 'Click id'),
  field('both', 'browser', 'Browser', '(unknown)'),
  field('both', 'os', 'System', '(unknown)'),
  field('both', 'device', 'Device', '(unknown)'),
  field('both', 'screen_class', 'Screen', '(unknown)'),
  field('both', 'country', 'Country', '(unknown)'),
  field('both', 'language', 'Language', '(unknown)'),
  field('both', 'person_id', 'Person', '(nobody)'),
  field('events', 'release', 'Release', '(no release)'),
  field('events', 'host', 'Host', '(no host)'),
  field('events', 'viewport', 'Viewport', '(unknown)'),
  field('both', 'session_id', 'Session', '(no session)'),
  field('both', 'device_id', 'Device id'),
]

/** Names codes; the address of a page may hold what is no code. */
const namesOf = (type: 'region' | 'language') => {
  // As the service knows them, too: German (Austria), and not Austrian German.
  const names = new Intl.DisplayNames('en', { type, languageDisplay: 'standard' })
  return (code: string) => {
    try {
      return names.of(code)
    } catch {
      return undefined
    }
  }
}
const codes = new Map([
  ['country', namesOf('region')],
  ['language', namesOf('language')],
])

/** A value as a person reads it. */
export const showValue = ({ name, none }: Pick<Field, 'name' | 'none'>, value: string | null): string =>
  value === null ? none : (codes.get(name)?.(value) ?? value)

/** What is compared with a value as a person writes it: nothing where that says there is none. */
export const valueOf = ({ none }: Pick<Field, 'none'>, text: string): string =>
  text.toLowerCase() === none.toLowerCase() ? '' : text

const property = 'prop.'
const trait = 'trait.'

/** The property that a field's name stands for; `undefined` for a column. */
export const propertyOf = (name: string): string | undefined =>
  name.startsWith(property) ? name.slice(property.length) : undefined

export const propertyField = (name: string): Field => field('events', property + name, name)

/** The trait that a field's name stands for; `undefined` for all else. */
export const traitOf = (name: string): string | undefined =>
  name.startsWith(trait) ? name.slice(trait.length) : undefined

export const traitField = (name: string): Field => field('people', trait + name, `Trait ${name}`)

/** The field of a name from the address. A column that is not listed above is asked of events. */
export const fieldOf = (name: string): Field => {
  const ofEvents = propertyOf(name)
  if (ofEvents !== undefined) return propertyField(ofEvents)
  const ofPeople = traitOf(name)
  if (ofPeople !== undefined) return traitField(ofPeople)
  return fields.find((each) => each.name === name) ?? field('events', name, name)
}

const findColumn = (typed: string) =>
  fields.find(({ name, title }) => [name, title.toLowerCase()].includes(typed.toLowerCase()))

/** Whether a name that was typed may be a property or a trait. */
export const isBare = (typed: string): boolean =>
  findColumn(typed) === undefined && propertyOf(typed) === undefined && !/^trait[ .]/i.test(typed)

/**
 * The field that somebody has typed: a column by its title or name, or `trait plan`, or any property. Among `people` a
 * name alone is a trait, and a property is `prop.plan`.
 */
export function findField(text: string, among: Counted = 'events'): Field {
  const typed = text.trim()
  const known = findColumn(typed)
  if (known) return known
  const [, named] = /^trait[ .](.+)$/i.exec(typed) ?? []
  if (named !== undefined) return traitField(named)
  const ofEvents = propertyOf(typed)
  return among === 'people' && ofEvents === undefined ? traitField(typed) : propertyField(ofEvents ?? typed)
}

/** What events have columns for, too. They are offered in any case: most of their values are in no property. */
export const builtInProperties: readonly string[] = [
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'device',
  'os',
  'browser',
  'country',
  'language',
].map((name) => `$${name}`)
