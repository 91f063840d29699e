import { quoteText } from '../duckdb/quote.js'

const scheme = '^[A-Za-z][A-Za-z0-9+.-]*://'
const authorityOf = (url: string) => `regexp_extract(${url}, '${scheme}([^/?#]+)', 1)`

/**
 * The host of a URL with its port; NULL where there is none. A pattern that never backtracks takes a third of
 * the time, so only a URL with an `@` is searched for the end of a user name.
 */
export const hostOf = (url: string): string =>
  `nullif(CASE WHEN contains(${authorityOf(url)}, '@')
    THEN regexp_extract(${url}, '${scheme}(?:[^/?#@]*@)?([^/?#]+)', 1) ELSE ${authorityOf(url)} END, '')`

/** The path of a URL, without query and fragment. */
const pathOf = (url: string): string => `nullif(regexp_extract(${url}, '${scheme}[^/?#]*(/[^?#]*)', 1), '')`

const begin = (text: string, ...urls: string[]) =>
  urls.map((url) => `starts_with(${url}, '${text}')`).join(' AND ')
const part = (url: string) => `split_part(${url}, '/', 3)`

/**
 * The referrer when it is on another site than the page; else NULL. Most referrers are on the page's own
 * site, and comparing the parts before the path takes a fifth of the time of finding both hosts.
 */
export const foreignReferrer = (referrer: string, url: string): string =>
  `CASE WHEN ${referrer} IS NULL THEN NULL
    WHEN (${begin('https://', referrer, url)} OR ${begin('http://', referrer, url)})
      AND ${part(referrer)} = ${part(url)} THEN NULL
    WHEN ${hostOf(referrer)} IS DISTINCT FROM ${hostOf(url)} THEN ${referrer} END`

/** The id that an event names: the user's, else the visitor's. */
const id = 'coalesce(distinct_id, anonymous_id)'

/**
 * Hashes that stand for an event's id and its session, as those of `id_map` and of the table of sessions. An answer
 * reads, compares and groups eight bytes where the texts have about forty. Files of the archive have them, too, and a
 * mark in their names, because another DuckDB may hash differently.
 */
const keys = {
  id_key: `CASE WHEN ${id} IS NOT NULL THEN hash(environment, ${id}) END`,
  session_key: `CASE WHEN session_id IS NOT NULL THEN hash(environment, session_id) END`,
} as const

/** `touch` says whether something brought the visitor here: a referrer from elsewhere, or a campaign. */
const touch = `(${foreignReferrer('referrer', 'url')} IS NOT NULL OR utm_source IS NOT NULL
  OR utm_medium IS NOT NULL OR utm_campaign IS NOT NULL)`

/** Columns of `raw.events` that each answer would else work out anew for each event: their types, and their SQL. */
export const keptColumns = {
  path: { type: 'VARCHAR', sql: pathOf('url') },
  touch: { type: 'BOOLEAN', sql: touch },
  id_key: { type: 'UBIGINT', sql: keys.id_key },
  session_key: { type: 'UBIGINT', sql: keys.session_key },
} as const

const columns = Object.entries(keptColumns).map(([name, { sql }]) => [name, sql] as const)
const list = (of: typeof columns, as: (name: string, sql: string) => string, by = ', ') =>
  of.map(([name, sql]) => as(name, sql)).join(by)
const named = (name: string, sql: string) => `${sql} AS ${name}`

/** The kept columns, for a SELECT from events that have none of them. */
export const keptOf = list(columns, named)
/** Whether one of an event's kept columns is not what its other columns say. */
export const keptWrongly = list(columns, (name, sql) => `${name} IS DISTINCT FROM ${sql}`, ' OR ')

const ofKeys = columns.filter(([name]) => name in keys)
export const keyNames = ofKeys.map(([name]) => name).join(', ')
/** The keys, for a SELECT from events without them. */
export const keysOf = list(ofKeys, named)
/** The assignments of an UPDATE that makes the keys anew. */
export const keyChanges = list(ofKeys, (name, sql) => `${name} = ${sql}`)

/**
 * Built-in properties that have a column of their own in `raw.events`. One query that reads a property
 * out of the JSON takes a third of the time that writing all these columns takes once.
 */
export const builtInColumns: readonly { column: string; property: string }[] = (
  'url referrer utm_source utm_medium utm_campaign utm_term utm_content lib lib_version release os ' +
  'user_agent device viewport imported'
)
  .split(' ')
  .map((column) => ({ column, property: column === 'referrer' ? '$referer' : `$${column}` }))

/** The SQL of a list with the texts of the properties `more`, then of the built-in ones. The JSON is read once for all. */
export const builtInsSql = (properties: string, more: readonly string[] = []): string => {
  const names = [...more, ...builtInColumns.map(({ property }) => property)]
  return `json_extract_string(${properties}, [${names.map((name) => `'/${name}'`).join(', ')}])`
}

/** The parameters by which advertising networks know a click again. */
const clickIds = ['gclid', 'dclid', 'fbclid', 'msclkid', 'ttclid', 'twclid', 'li_fat_id']

export const utmColumns = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content'] as const

/**
 * Columns that the others are read out of. Each parameter of `query` has an `&` before it: finding texts takes a third
 * of the time of a pattern. Parts of two campaigns must never be mixed, so the address counts as a campaign only where
 * the payload names no part of one.
 */
export const addressColumns = `CASE WHEN contains(url, '?')
    THEN '&' || substr(split_part(url, '#', 1), strpos(url, '?') + 1) END AS query,
  CASE WHEN coalesce(${utmColumns.join(', ')}) IS NULL THEN query END AS campaign`

/** As `URLSearchParams` reads it, but for bytes that are no UTF-8: then it is as good as missing. */
const utmSql = (name: string): string => {
  const raw = `split_part(split_part(campaign, '&${name}=', 2), '&', 1)`
  const decoded = `TRY(url_decode(replace(replace(${raw}, '+', ' '), '%00', '')))`
  return `CASE WHEN contains(campaign, '&${name}=') THEN nullif(left(${decoded}, 200), '') ELSE ${name} END`
}

const clickIdSql = `CASE ${clickIds
  .map((name) => `WHEN contains(query, '&${name}=') THEN ${quoteText(name)}`)
  .join(' ')} END`

/** What the sender's request says counts only for an event that names no user agent itself; `markAgents` reads those. */
const ofSender = (name: string): string => `CASE WHEN user_agent IS NULL THEN sender.${name} END`

/** What the service adds to built-in columns of `raw.events` where the payload leaves them out. */
export const filledColumns: Readonly<Record<string, string>> = {
  ...Object.fromEntries(utmColumns.map((name) => [name, utmSql(name)])),
  os: `coalesce(os, ${ofSender('os')})`,
  device: `coalesce(device, ${ofSender('device')})`,
}

/** Columns that events of history bring as properties, and all others get from who sends them. */
export const givenColumns = ['browser', 'language', 'country'] as const

/**
 * The columns of `raw.events` beside the built-in ones: the SQL of each, over those, `query`, `sender`, and of what is
 * given `given_` and its name.
 */
export const derivedColumns: Readonly<Record<string, string>> = {
  browser: `coalesce(given_browser, ${ofSender('browser')})`,
  language: 'coalesce(given_language, sender.language)',
  country: 'coalesce(given_country, sender.country)',
  click_id: clickIdSql,
}

/** Widths in pixels: the window of a phone is narrower than 600, and that of an upright tablet has at most 1024. */
const [tabletFrom, desktopFrom] = [600, 1025]

/** The class of a window of the size `1280x720`; NULL for what is no such size. */
export const screenClassSql = (viewport: string): string => {
  const width = `TRY_CAST(split_part(${viewport}, 'x', 1) AS INTEGER)`
  const classes = [
    [`${width} < ${tabletFrom}`, 'phone'],
    [`${width} < ${desktopFrom}`, 'tablet'],
    [`${width} >= ${desktopFrom}`, 'desktop'],
  ] as const
  return `CASE ${classes.map(([when, name]) => `WHEN ${when} THEN ${quoteText(name)}`).join(' ')} END`
}

/** What these columns are, in all views that have them. */
export const derivedComments = {
  ...(Object.fromEntries(
    utmColumns.map((name) => [name, `The property $${name}; without a campaign there, what url says.`]),
  ) as Record<(typeof utmColumns)[number], string>),
  click_id: 'The click id that url has, by its name, such as gclid; the id itself is in url.',
  os: 'The property $os; else the system that the user agent names.',
  browser:
    'The browser that the user agent names: the property $user_agent, else that of the request; of history the property $browser.',
  device: 'The property $device; else desktop, phone, tablet or tv, by the user agent.',
  language: "The first language that the browser's request asks for, such as de-AT.",
  country:
    'The country as ISO 3166 writes it, such as DE: of the address with --geo-database, else of the time zone.',
  imported: 'The import that brought it, such as umami-3f9a2c51d07e; NULL for what pages and servers sent.',
  anonymous: 'Whether the visitor did not agree to be recognised, and is known for one day only.',
  screen_class: 'phone, tablet or desktop, by the width in viewport.',
} as const
