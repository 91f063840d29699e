import { quoteText } from './quote.js'

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

/** The columns of `raw.events` that no property has: the SQL of each, over the built-in columns, `query` and `sender`. */
export const derivedColumns: Readonly<Record<string, string>> = {
  browser: ofSender('browser'),
  language: 'sender.language',
  country: 'sender.country',
  click_id: clickIdSql,
}

/** What a request says of its sender. `visitor` is the id of a day, of one who is counted without consent. */
export const senderFields = [
  'key',
  'bot',
  'browser',
  'os',
  'device',
  'language',
  'country',
  'visitor',
] as const

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

const utmComment = (name: string) => `The property $${name}; without a campaign there, what url says.`

/** What these columns are, in all views that have them. */
export const derivedComments = {
  utm_source: utmComment('utm_source'),
  utm_medium: utmComment('utm_medium'),
  utm_campaign: utmComment('utm_campaign'),
  utm_term: utmComment('utm_term'),
  utm_content: utmComment('utm_content'),
  click_id: 'The click id that url has, by its name, such as gclid; the id itself is in url.',
  os: 'The property $os; else the system that the user agent names.',
  browser: 'The browser that the user agent names: the property $user_agent, else that of the request.',
  device: 'The property $device; else desktop, phone, tablet or tv, by the user agent.',
  language: "The first language that the browser's request asks for, such as de-AT.",
  country:
    'The country as ISO 3166 writes it, such as DE: of the address with --geo-database, else of the time zone.',
  anonymous: 'Whether the visitor did not agree to be recognised, and is known for one day only.',
  screen_class: 'phone, tablet or desktop, by the width in viewport.',
} as const
