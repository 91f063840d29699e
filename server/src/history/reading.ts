import { quoteIdentifier, quoteText } from '../duckdb/quote.js'
import type { FileColumn } from '../upload/textTypes.js'
import { microsecondsFromMs, secondsBelowMs } from '../payloads/payloads.js'

/** One file of an export, opened in DuckDB. */
export interface Table {
  /** The name of the file, without a path. */
  name: string
  columns: readonly FileColumn[]
  /** The SQL of its rows. */
  from: string
}

/** What there is in an export and has no place here. */
export interface Loss {
  field: string
  /** In how many rows it says something; null where that is not counted. */
  rows: number | null
  why: string
}

/** What is said beside the file. */
export interface Said {
  /** Which column a field of an event is in, for files that have no names of their own. */
  map: Readonly<Record<string, string>>
  /** The host of addresses that have none. */
  site: string
}

/** The SQL of texts, and of JSON where that is said, of one event; NULL and the empty text are no value. */
export interface EventSql {
  /** ISO 8601, or Unix milliseconds. */
  time: string
  event: string
  distinct_id?: string
  anonymous_id?: string
  device_id?: string
  session_id?: string
  /** The id that the export gives the event; without it the whole row tells whether it is the same. */
  insert_id?: string
  /** Built-in properties by their names without the `$`. */
  builtIn: Readonly<Record<string, string>>
  /** The members of a JSON object with the others. */
  properties?: string
  /** Why a row is no event; NULL where it is one. */
  refused?: string
}

/** How an export is read: the SQL of what it holds, over its rows. */
export type Reading = {
  /** SQL of names within columns that are lost, and in how many rows they come. */
  lostNames?: string
} &
  /** `from` names the rows that are events `r0`. */
  (
    | { kind: 'events'; from: string; event: EventSql }
    /** Each statement gives day, dimension, value and some of the `figures`. */
    | { kind: 'sums'; statements: readonly string[] }
  )

/** The names of all figures of a sum. */
export const figures = ['visitors', 'visits', 'page_views', 'events', 'bounces', 'visit_seconds'] as const

/** Reads the exports of one program. Throws an Unreadable when none of the files is one. */
export type Reader = (tables: readonly Row[], said: Said) => Reading

/** Says in one sentence why a file is no export of the program that was named. */
export class Unreadable extends Error {}

/** The columns of a file for a reader. Those that it never asks for are lost. */
export class Row {
  readonly table: Table
  /** What its rows are called in the SQL. */
  readonly alias: string
  readonly #asked = new Set<string>()

  constructor(table: Table, alias: string) {
    this.table = table
    this.alias = alias
  }

  /** The SQL of its rows, under their name. */
  get source(): string {
    return `${this.table.from} ${this.alias}`
  }

  #sqlOf({ name }: FileColumn): string {
    return `${this.alias}.${quoteIdentifier(name)}`
  }

  #find(names: readonly string[]): FileColumn | undefined {
    for (const name of names) {
      const found = this.table.columns.find((column) => column.name.toLowerCase() === name.toLowerCase())
      if (found === undefined) continue
      this.#asked.add(found.name)
      return found
    }
    return undefined
  }

  has(...names: string[]): boolean {
    return names.every((name) =>
      this.table.columns.some((column) => column.name.toLowerCase() === name.toLowerCase()),
    )
  }

  /** The first of these columns as a text that says something, else NULL. */
  text(...names: string[]): string {
    const column = this.#find(names)
    if (column === undefined) return 'NULL::VARCHAR'
    const value = this.#sqlOf(column)
    return `nullif(${column.type === 'JSON' ? `(${value}->>'$')` : `${value}::VARCHAR`}, '')`
  }

  /** The first of these columns as JSON; a text is taken for JSON. NULL where it is none. */
  json(...names: string[]): string {
    const column = this.#find(names)
    if (column === undefined) return 'NULL::JSON'
    const value = this.#sqlOf(column)
    if (column.type === 'VARCHAR') return `TRY_CAST(nullif(${value}, '') AS JSON)`
    if (column.type !== 'JSON') return `to_json(${value})`
    // A field with an object in some rows and a text with JSON in others.
    return `CASE WHEN json_type(${value}) = 'VARCHAR' THEN TRY_CAST(${value}->>'$' AS JSON) ELSE ${value} END`
  }

  /** The columns that no reader has asked for. */
  get others(): readonly FileColumn[] {
    return this.table.columns.filter(({ name }) => !this.#asked.has(name))
  }

  /** Takes the columns that stay for properties of the same names. */
  takeOthers(): string {
    const taken = this.others
    const members = taken.map((column) => {
      this.#asked.add(column.name)
      const own = column.name.replace(/^\$+/, '') || 'value'
      return [own, column.type === 'JSON' ? this.#sqlOf(column) : this.text(column.name)] as const
    })
    return membersSql(members)
  }
}

/** The SQL of the members of a JSON object, without those that are NULL; NULL where there are none. */
export const membersSql = (members: readonly (readonly [name: string, value: string])[]): string => {
  const parts = members.map(
    ([name, value]) => `${quoteText(`${JSON.stringify(name)}:`)} || to_json(${value})::VARCHAR`,
  )
  return `nullif(concat_ws(',', ${['NULL::VARCHAR', ...parts].join(', ')}), '')`
}

/** The entries of a JSON object for which a condition on `e.key` holds, as its members; NULL where there are none. */
export const membersOf = (json: string, condition: string): string =>
  `nullif(array_to_string(list_transform(
     list_filter(map_entries(from_json(${json}, '"MAP(VARCHAR, JSON)"')), lambda e: ${condition}),
     lambda e: to_json(e.key)::VARCHAR || ':' || coalesce(e.value::VARCHAR, 'null')), ','), '')`

/** Where a file of sums has what: figures and dimensions by the first of these columns that is there. */
interface SumColumns {
  day: readonly string[]
  dimensions: Readonly<Record<string, readonly string[]>>
  figures: Readonly<Partial<Record<(typeof figures)[number], readonly string[]>>>
}

/** The statements of a file with sums of days: one for each dimension that it has, or one for the totals. */
export const sumsOf = (rows: Row, { day, dimensions, figures: given }: SumColumns): string[] => {
  const figureColumns = Object.entries(given).flatMap(([name, columns]) =>
    columns.some((column) => rows.has(column)) ? [`${rows.text(...columns)} AS ${name}`] : [],
  )
  if (!day.some((name) => rows.has(name)) || figureColumns.length === 0) return []
  const select = (dimension: string, value: string) =>
    `SELECT ${rows.text(...day)} AS day, ${quoteText(dimension)} AS dimension, ${value} AS value, ${figureColumns.join(', ')} FROM ${rows.source}`
  const found = Object.entries(dimensions).filter(([, columns]) => columns.some((column) => rows.has(column)))
  if (found.length === 0) return [select('total', `''`)]
  return found.map(([dimension, columns]) => {
    const value = rows.text(...columns)
    return `${select(dimension, value)} WHERE ${value} IS NOT NULL`
  })
}

/** One of these names for another. */
const renamed = (names: Readonly<Record<string, string>>) => (text: string) =>
  `CASE lower(${text}) ${Object.entries(names)
    .map(([from, to]) => `WHEN ${quoteText(from)} THEN ${quoteText(to)}`)
    .join(' ')} ELSE ${text} END`

/** Names of other programs as they are here, so that live events and those of the past are counted together. */
const asHere: Readonly<Record<string, (text: string) => string>> = {
  browser: renamed({
    chrome: 'Chrome',
    'chrome ios': 'Chrome',
    'chrome mobile': 'Chrome',
    crios: 'Chrome',
    'chromium-webview': 'Chrome',
    edge: 'Edge',
    'edge-chromium': 'Edge',
    'edge-ios': 'Edge',
    'microsoft edge': 'Edge',
    firefox: 'Firefox',
    'firefox ios': 'Firefox',
    'firefox mobile': 'Firefox',
    fxios: 'Firefox',
    safari: 'Safari',
    'mobile safari': 'Safari',
    ios: 'Safari',
    'ios-webview': 'Safari',
    opera: 'Opera',
    samsung: 'Samsung Internet',
    'samsung browser': 'Samsung Internet',
    facebook: 'Facebook',
    instagram: 'Instagram',
  }),
  os: renamed({
    'mac os': 'macOS',
    'mac os x': 'macOS',
    mac: 'macOS',
    macintosh: 'macOS',
    'android os': 'Android',
    'gnu/linux': 'Linux',
    linux: 'Linux',
    ...Object.fromEntries(
      ['xp', 'vista', '7', '8', '8.1', '10', '11'].map((each) => [`windows ${each}`, 'Windows']),
    ),
  }),
  device: (text) =>
    renamed({ mobile: 'phone', smartphone: 'phone', phablet: 'phone', laptop: 'desktop', 'smart tv': 'tv' })(
      `lower(${text})`,
    ),
  country: (text) => `upper(${text})`,
  language: (text) =>
    `CASE WHEN regexp_full_match(${text}, '[a-z]{2,3}-[a-z]{2}') THEN split_part(${text}, '-', 1) || '-' || upper(split_part(${text}, '-', 2)) ELSE ${text} END`,
}

/** An address without a host gets one: its path is read out of a whole address. */
export const urlSql = (url: string, host: string): string =>
  `CASE WHEN starts_with(${url}, '/') THEN 'https://' || ${host} || ${url} ELSE ${url} END`

const maxNameLength = 400
/** A clock that is a little ahead makes no time of the future. */
const ahead = 'INTERVAL 1 DAY'

const number = `TRY_CAST(given AS HUGEINT)`
const moment = `TRY(CASE WHEN ${number} IS NOT NULL THEN make_timestamptz(1000 * ${number}::BIGINT)
  ELSE TRY_CAST(given AS TIMESTAMPTZ) END)`

const timeProblem = `CASE
  WHEN given IS NULL THEN 'no time'
  WHEN abs(${number}) < ${secondsBelowMs} THEN 'a time in seconds, where milliseconds are read'
  WHEN abs(${number}) >= ${microsecondsFromMs} THEN 'a time in microseconds, or beyond the year 9999'
  WHEN at_time IS NULL OR NOT isfinite(at_time) THEN 'a time that cannot be read'
  WHEN year(at_time) > 9999 THEN 'a time beyond the year 9999'
  WHEN at_time > now() + ${ahead} THEN 'a time in the future' END`

/**
 * The SQL of the events of an export, one a row: its payload for `/track`, or why it is refused. A row without an id gets
 * one of its text and how many equal rows came before it, so that equal rows stay, and the same file gives the same ids.
 */
export const eventsSql = (
  { from, event }: Extract<Reading, { kind: 'events' }>,
  { environment, imported }: { environment: string; imported: string },
): string => {
  const ids = ['distinct_id', 'anonymous_id', 'device_id', 'session_id'] as const
  const known = Object.entries(event.builtIn).map(
    ([name, value]) => [name, asHere[name]?.(`(${value})`) ?? value] as const,
  )
  const listed = [
    `${event.time} AS given`,
    `${event.event} AS event`,
    ...ids.map((name) => `${event[name] ?? 'NULL::VARCHAR'} AS ${name}`),
    ...known.map(([, value], at) => `${value} AS built_in_${at}`),
    `${event.properties ?? 'NULL::VARCHAR'} AS own`,
    `${event.refused ?? 'NULL::VARCHAR'} AS why`,
    event.insert_id === undefined
      ? `md5(r0::VARCHAR) || coalesce('-' || nullif(row_number() OVER (PARTITION BY md5(r0::VARCHAR)), 1), '') AS insert_id`
      : `${event.insert_id} AS insert_id`,
  ]
  const properties = [
    quoteText(`"$imported":${JSON.stringify(imported)}`),
    `'"insert_id":' || to_json(insert_id)::VARCHAR`,
    ...known.map(
      ([name], at) =>
        `CASE WHEN built_in_${at} <> '' THEN ${quoteText(`"$${name}":`)} || to_json(built_in_${at})::VARCHAR END`,
    ),
    "nullif(own, '')",
  ]
  const payload = [
    quoteText(`"environment":${JSON.stringify(environment)}`),
    `'"event":' || to_json(event)::VARCHAR`,
    `'"timestamp":"' || strftime(timezone('UTC', at_time), '%Y-%m-%dT%H:%M:%S.%fZ') || '"'`,
    ...ids.map((name) => `CASE WHEN ${name} <> '' THEN '"${name}":' || to_json(${name})::VARCHAR END`),
    `'"properties":{' || concat_ws(',', ${properties.join(', ')}) || '}'`,
  ]
  return `WITH flat AS (SELECT ${listed.join(', ')} FROM ${from}),
    timed AS (SELECT *, ${moment} AS at_time FROM flat),
    judged AS (
      SELECT *, coalesce(why, CASE WHEN event IS NULL OR event = '' THEN 'no name of an event'
        WHEN length(event) > ${maxNameLength} THEN 'a name of more than ${maxNameLength} characters'
        WHEN insert_id IS NULL THEN 'no id of the event' END, ${timeProblem}) AS refused
      FROM timed
    )
    SELECT refused, left(coalesce(given, event), 100) AS example, event, insert_id, at_time,
      coalesce(distinct_id, anonymous_id) AS person,
      CASE WHEN refused IS NULL THEN '{' || concat_ws(',', ${payload.join(', ')}) || '}' END AS payload
    FROM judged`
}

const count = (figure: string) => `TRY_CAST(${figure} AS BIGINT)`

/** The SQL of the sums of an export, one a row: what goes into the log, or why it is refused. */
export const sumsSql = (
  { statements }: Extract<Reading, { kind: 'sums' }>,
  { environment, imported }: { environment: string; imported: string },
): string => {
  const none = figures.map((name) => `NULL::VARCHAR AS ${name}`).join(', ')
  const sums = figures.map((name) => `sum(${count(name)})::BIGINT AS ${name}`).join(', ')
  return `WITH given AS (
      SELECT NULL::VARCHAR AS day, NULL::VARCHAR AS dimension, NULL::VARCHAR AS value, ${none} WHERE false
      UNION ALL BY NAME ${statements.join(' UNION ALL BY NAME ')}
    ), dated AS (
      SELECT *, TRY_CAST(regexp_replace(day, '^(\\d{4})(\\d\\d)(\\d\\d)$', '\\1-\\2-\\3') AS DATE) AS at_day FROM given
    ),
    judged AS (
      SELECT *, CASE WHEN at_day IS NULL OR NOT isfinite(at_day) THEN 'a day that cannot be read'
        WHEN year(at_day) > 9999 THEN 'a day beyond the year 9999'
        WHEN at_day > now()::DATE + 1 THEN 'a day in the future'
        WHEN ${figures.map((name) => `(${name} <> '' AND (${count(name)} IS NULL OR ${count(name)} < 0))`).join(' OR ')}
          THEN 'a figure that is no number' END AS refused
      FROM dated
    ), summed AS (
      SELECT refused, any_value(day) AS example, at_day, dimension, coalesce(value, '') AS value, ${sums}
      FROM judged GROUP BY refused, at_day, dimension, coalesce(value, '')
    )
    SELECT refused, example, dimension AS event, value AS insert_id, at_day::TIMESTAMPTZ AS at_time, NULL::VARCHAR AS person,
      CASE WHEN refused IS NULL THEN to_json({'imported': ${quoteText(imported)}, 'environment': ${quoteText(environment)},
        'day': at_day::VARCHAR, 'dimension': dimension, 'value': value,
        ${figures.map((name) => `'${name}': ${name}`).join(', ')}})::VARCHAR END AS payload
    FROM summed`
}
