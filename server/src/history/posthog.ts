import { deviceSql, membersOf, membersSql, type Reader, renamed, Unreadable } from './reading.js'

const utms = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_content', 'utm_term']
/** Its own properties that have the same meaning here, by their names here. */
const same = {
  url: '$current_url',
  os_version: '$os_version',
  country: '$geoip_country_code',
  language: '$browser_language',
  user_agent: '$raw_user_agent',
  lib: '$lib',
  lib_version: '$lib_version',
  app_name: '$app_name',
  app_version: '$app_version',
  app_build: '$app_build',
  screen_name: '$screen_name',
  ...Object.fromEntries(utms.map((name) => [name, name])),
}
const browsers = {
  'mobile safari': 'Safari',
  'chrome ios': 'Chrome',
  'firefox ios': 'Firefox',
  'microsoft edge': 'Edge',
  'android mobile': 'Android Browser',
}
/** Those that stay without the `$`. */
const kept = { title: '$title', city: '$geoip_city_name', region: '$geoip_subdivision_1_name' }

/** Those that are read in another way. */
const others =
  '$browser $os $anon_distinct_id $referrer $device_id $session_id $device_type $viewport_width $viewport_height'.split(
    ' ',
  )

/** Rows of the model `events` of a batch export: JSON lines, Parquet or CSV. */
export const posthog: Reader = (tables) => {
  const rows = tables.find((each) => each.has('event', 'distinct_id', 'timestamp', 'properties'))
  if (rows === undefined)
    throw new Unreadable('No file has the columns of events: event, distinct_id, timestamp and properties.')
  const properties = rows.json('properties')
  const own = (name: string) => `nullif(json_extract_string(${properties}, '/${name}'), '')`
  const id = rows.text('distinct_id')
  const before = own('$anon_distinct_id')
  const referrer = own('$referrer')
  const listed = [...utms, 'insert_id'].map((name) => `'${name}'`).join(', ')
  const used = [...Object.values(same), ...Object.values(kept), ...others]
  return {
    kind: 'events',
    from: rows.source,
    event: {
      time: rows.text('timestamp'),
      event: rows.text('event'),
      distinct_id: id,
      // Only an identify says that two ids are one person.
      anonymous_id: `CASE WHEN ${rows.text('event')} = '$identify' AND ${before} <> ${id} THEN ${before} END`,
      device_id: own('$device_id'),
      session_id: own('$session_id'),
      ...(rows.has('uuid') && { insert_id: rows.text('uuid') }),
      builtIn: {
        ...Object.fromEntries(Object.entries(same).map(([name, theirs]) => [name, own(theirs)])),
        browser: renamed(own('$browser'), browsers),
        os: renamed(own('$os'), { 'mac os x': 'macOS' }),
        referer: `nullif(${referrer}, '$direct')`,
        device: deviceSql(own('$device_type')),
        viewport: `${own('$viewport_width')} || 'x' || ${own('$viewport_height')}`,
      },
      properties: `concat_ws(',', ${membersOf(properties, `NOT starts_with(e.key, '$') AND e.key NOT IN (${listed})`)},
        ${membersSql(Object.entries(kept).map(([name, theirs]) => [name, own(theirs)]))})`,
    },
    lostNames: `SELECT 'properties.' || name AS field, count(*) AS rows
      FROM (SELECT unnest(json_keys(${properties})) AS name FROM ${rows.source})
      WHERE starts_with(name, '$') AND name NOT IN (${used.map((name) => `'${name}'`).join(', ')}) GROUP BY 1`,
  }
}
