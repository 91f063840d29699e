import { quoteText } from '../duckdb/quote.js'
import { type Reader, type Row, Unreadable, urlSql } from './reading.js'

/** Fields of an event, and what columns with them are usually called. */
export const fields: Readonly<Record<string, readonly string[]>> = {
  time: ['time', 'timestamp', 'created_at', 'event_time', 'occurred_at', 'datetime', 'date', 'ts'],
  event: ['event', 'event_name', 'name', 'action', 'event_type'],
  distinct_id: ['distinct_id', 'user_id', 'userid', 'person_id', 'visitor_id', 'client_id', 'uid'],
  anonymous_id: ['anonymous_id'],
  device_id: ['device_id'],
  session_id: ['session_id', 'visit_id', 'session'],
  insert_id: ['insert_id', 'event_id', 'message_id', 'uuid', 'id'],
  url: ['url', 'page_url', 'current_url', 'page_location', 'page', 'path'],
  referer: ['referrer', 'referer', 'referrer_url'],
  browser: ['browser'],
  os: ['os', 'operating_system'],
  device: ['device', 'device_type'],
  country: ['country', 'country_code'],
  language: ['language'],
}
const builtIn = ['url', 'referer', 'browser', 'os', 'device', 'country', 'language']
const ids = ['distinct_id', 'anonymous_id', 'device_id', 'session_id', 'insert_id']

/** Which column each field is in: the one that is said, else the first that is called so. `-` says that there is none. */
export const mapColumns = (rows: Row, said: Readonly<Record<string, string>>): Record<string, string> => {
  const wrong = Object.keys(said).find((field) => fields[field] === undefined)
  if (wrong !== undefined)
    throw new Unreadable(`There is no field ${wrong}; there are ${Object.keys(fields).join(', ')}.`)
  const missing = Object.entries(said).find(([, column]) => column !== '-' && !rows.has(column))
  if (missing !== undefined) {
    const names = rows.table.columns.map(({ name }) => name).join(', ')
    throw new Unreadable(`There is no column ${missing[1]} for ${missing[0]}; there are ${names}.`)
  }
  const taken = new Set(Object.values(said).map((column) => column.toLowerCase()))
  return Object.fromEntries(
    Object.entries(fields).flatMap(([field, names]) => {
      const column = said[field] ?? names.find((name) => rows.has(name) && !taken.has(name))
      if (column === undefined || column === '-') return []
      taken.add(column.toLowerCase())
      return [[field, column]]
    }),
  )
}

/** Any file with an event in each row; columns that are no field become properties. */
export const csv: Reader = (tables, { map, site }) => {
  const [rows, ...others] = tables
  if (rows === undefined || others.length > 0) throw new Unreadable('Name one file with the events.')
  const columns = mapColumns(rows, map)
  const of = (field: string) => (columns[field] === undefined ? undefined : rows.text(columns[field]))
  const time = of('time')
  if (time === undefined) throw new Unreadable('No column is called as a time: say which one it is, by time.')
  const event = of('event') ?? (columns['url'] === undefined ? undefined : `'$pageview'`)
  if (event === undefined)
    throw new Unreadable('No column is called as the name of an event, or as an address: say event, or url.')
  const given = (names: readonly string[]) =>
    Object.fromEntries(names.flatMap((name) => (of(name) === undefined ? [] : [[name, of(name)!]])))
  const { url, ...more } = given(builtIn)
  return {
    kind: 'events',
    from: rows.source,
    event: {
      time,
      event,
      ...given(ids),
      builtIn: { ...more, ...(url !== undefined && { url: urlSql(url, quoteText(site)) }) },
      properties: rows.takeOthers(),
    },
  }
}
