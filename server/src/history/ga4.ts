import { quoteText } from '../duckdb/quote.js'
import { membersSql, type Reader, type Row, sumsOf, Unreadable } from './reading.js'

const sumColumns = {
  day: ['Date'],
  dimensions: {
    page: ['Page path', 'Page path and screen class', 'Page path + query string'],
    entry_page: ['Landing page', 'Landing page + query string'],
    source: ['Session source', 'First user source'],
    utm_medium: ['Session medium', 'First user medium'],
    utm_campaign: ['Session campaign', 'First user campaign'],
    country: ['Country'],
    city: ['City'],
    device: ['Device category'],
    browser: ['Browser'],
    os: ['Operating system'],
    language: ['Language'],
    event: ['Event name'],
  },
  figures: {
    visitors: ['Total users', 'Active users', 'Users'],
    visits: ['Sessions'],
    page_views: ['Views', 'Screen page views'],
    events: ['Event count'],
  },
}

const param = `{"key":"VARCHAR","value":{"string_value":"VARCHAR","int_value":"VARCHAR","float_value":"DOUBLE","double_value":"DOUBLE"}}`
const params = 'r0."event params"'
const textOf = (name: string) => `list_filter(${params}, lambda p: p.key = '${name}')[1].value.string_value`
const numberOf = (name: string) => `list_filter(${params}, lambda p: p.key = '${name}')[1].value.int_value`
/** Parameters that have a place of their own. */
const placed = ['page_location', 'page_referrer', 'ga_session_id', 'page_title', 'insert_id']

/** The other parameters of an event, as members of its properties. */
const others = `array_to_string(list_transform(
  list_filter(${params}, lambda p: p.key NOT IN (${placed.map(quoteText).join(', ')}) AND NOT starts_with(p.key, '$')),
  lambda p: to_json(p.key)::VARCHAR || ':' || coalesce(to_json(p.value.string_value)::VARCHAR,
    TRY_CAST(p.value.int_value AS HUGEINT)::VARCHAR, to_json(coalesce(p.value.double_value, p.value.float_value))::VARCHAR, 'null')), ',')`

/** Countries come by their English names. */
const codes = () => {
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
  return letters.flatMap((first) =>
    letters.flatMap((second) => {
      const name = names.of(first + second)
      return name === undefined || names.of(new Intl.Locale(`und-${first}${second}`).region!) !== name
        ? []
        : [[name, new Intl.Locale(`und-${first}${second}`).region!] as const]
    }),
  )
}
const countrySql = (name: string) => {
  const known = new Map(codes())
  const list = [...known].map(([each, code]) => `${quoteText(each)}: ${quoteText(code)}`)
  return `(MAP {${list.join(', ')}})[${name}]`
}

const events = (rows: Row): ReturnType<Reader> => {
  const part = (column: string, path: string) =>
    `nullif(json_extract_string(${rows.json(column)}, '${path}'), '')`
  const name = rows.text('event_name')
  const visitor = rows.text('user_pseudo_id')
  const micros = `TRY_CAST(${rows.text('event_timestamp')} AS BIGINT)`
  const list = `(SELECT r0.*, from_json(${rows.json('event_params')}, '[${param}]') AS "event params" FROM ${rows.source}) r0`
  const campaign = (theirs: string) => part('collected_traffic_source', `/manual_${theirs}`)
  return {
    kind: 'events',
    from: list,
    event: {
      time: `strftime(TRY(make_timestamp(${micros})), '%Y-%m-%dT%H:%M:%S.%fZ')`,
      event: `CASE ${name} WHEN 'page_view' THEN '$pageview' ELSE ${name} END`,
      distinct_id: rows.text('user_id'),
      anonymous_id: visitor,
      session_id: `${visitor} || '.' || ${numberOf('ga_session_id')}`,
      builtIn: {
        url: textOf('page_location'),
        referer: textOf('page_referrer'),
        browser: `coalesce(${part('device', '/web_info/browser')}, ${part('device', '/browser')})`,
        os: part('device', '/operating_system'),
        device: part('device', '/category'),
        language: part('device', '/language'),
        country: countrySql(part('geo', '/country')),
        utm_source: campaign('source'),
        utm_medium: campaign('medium'),
        utm_campaign: campaign('campaign_name'),
        utm_term: campaign('term'),
        utm_content: campaign('content'),
      },
      properties: `concat_ws(',', nullif(${others}, ''), ${membersSql([
        ['title', textOf('page_title')],
        ['region', part('geo', '/region')],
        ['city', part('geo', '/city')],
      ])})`,
    },
  }
}

/** The rows of a table `events_…` in BigQuery, as JSON lines or Parquet, or reports as CSV with the dimension Date. */
export const ga4: Reader = (tables) => {
  const rows = tables.find((each) => each.has('event_timestamp', 'event_name', 'user_pseudo_id'))
  if (rows !== undefined) return events(rows)
  const statements = tables.flatMap((each) => sumsOf(each, sumColumns))
  if (statements.length === 0)
    throw new Unreadable(
      'The file has neither the columns of events in BigQuery (event_timestamp, event_name, user_pseudo_id) nor those of a report with Date and, say, Sessions. Add the dimension Date to the report.',
    )
  return { kind: 'sums', statements }
}
