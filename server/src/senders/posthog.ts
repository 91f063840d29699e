import { refuse } from '../http/HttpError.js'
import {
  type Asked,
  type Fields,
  fieldsOf,
  type Message,
  onceAt,
  placeProperties,
  type Refused,
  type Sender,
  sizeOf,
  textOf,
  timeOf,
  withValues,
} from './Sender.js'

const utms = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content']

const names: Readonly<Record<string, string | null>> = {
  $current_url: '$url',
  $referrer: '$referer',
  $raw_user_agent: '$user_agent',
  $browser_language: '$language',
  $geoip_country_code: '$country',
  $timezone: 'browser_time_zone',
  $ip: '$ip',
  $os: '$os',
  $os_version: '$os_version',
  $device_manufacturer: '$device_manufacturer',
  $device_model: '$device_model',
  $app_name: '$app_name',
  $app_version: '$app_version',
  $app_build: '$app_build',
  $app_namespace: '$app_namespace',
  $screen_name: '$screen_name',
  $lib: '$lib',
  $lib_version: '$lib_version',
  ...Object.fromEntries(utms.map((name) => [name, `$${name}`])),
  // These are in the fields of the event, in its address or its user agent, or of the SDK's own work.
  ...Object.fromEntries(
    (
      'distinct_id token $device_id $session_id $user_id $anon_distinct_id $is_identified $set $set_once $unset ' +
      '$insert_id $time $browser $browser_version $browser_language_prefix $browser_type $device_type $host $pathname ' +
      '$referring_domain $timezone_offset $viewport_width $viewport_height $initialization_time $recording_status ' +
      '$config_defaults $configured_session_timeout_ms $sdk_dist_channel $lib_custom_api_host $pageview_id ' +
      '$lib_rate_limit_remaining_tokens $process_person_profile $geoip_disable $sdk_debug_retry_queue_size ' +
      '$sdk_debug_extensions_init_method $sdk_debug_extensions_init_time_ms $session_entry_host $session_entry_pathname ' +
      '$session_entry_referring_domain'
    )
      .split(' ')
      .map((name) => [name, null]),
  ),
}

/** Events that say who somebody is, and nothing else. */
const aboutPeople: ReadonlySet<string> = new Set(['$identify', '$set', '$set_once', '$unset'])

const nulls = (given: unknown): Fields =>
  Object.fromEntries((Array.isArray(given) ? given : []).map((name) => [String(name), null]))

/** What an event says of its person: what is set, and what is only set once. */
const traitsOf = (event: Fields, given: Fields): { set: Fields; once: Fields } => ({
  set: {
    ...fieldsOf(given['$set']),
    ...fieldsOf(event['$set']),
    ...nulls(event['$unset'] ?? given['$unset']),
  },
  once: withValues({ ...fieldsOf(given['$set_once']), ...fieldsOf(event['$set_once']) }),
})

const read = (one: unknown, at: string, { body, receivedMs }: Asked): (Message | Refused)[] => {
  const event = fieldsOf(one)
  const given = fieldsOf(event['properties'])
  const name = textOf(event['event'])
  const id = textOf(event['distinct_id']) ?? textOf(given['distinct_id']) ?? textOf(event['$distinct_id'])
  if (id === undefined) return [{ refused: 'distinct_id must say whose it is.', at }]
  const { offset } = event
  const time = event['timestamp']
  const timestamp =
    time === undefined && typeof offset === 'number'
      ? receivedMs - offset
      : timeOf(time, fieldsOf(body)['sent_at'], receivedMs)
  if (name === '$create_alias' && textOf(given['alias']) !== undefined)
    return [{ kind: 'alias', payload: { distinct_id: textOf(given['alias']), new_user_id: id }, at }]

  const anonymousId = name === '$identify' ? textOf(given['$anon_distinct_id']) : undefined
  const { set, once } = traitsOf(event, given)
  const isSet = name === '$identify' || Object.keys(set).length > 0
  const people: Message[] = []
  const identify = (traits: Fields, at_: unknown) =>
    people.push({
      kind: 'identify',
      payload: { distinct_id: id, anonymous_id: anonymousId, traits, timestamp: at_ },
      at,
    })
  if (isSet) identify(set, timestamp)
  if (Object.keys(once).length > 0) identify(once, onceAt(timestamp, receivedMs))
  if (aboutPeople.has(name ?? '')) return people

  // Until somebody is identified a browser's events have its own id.
  const isAnonymous =
    given['$is_identified'] === false ||
    (id === textOf(given['$device_id']) && given['$user_id'] === undefined)
  const referrer = given['$referrer'] === '$direct' ? null : given['$referrer']
  const properties = placeProperties({ ...given, $referrer: referrer }, names, {
    insert_id: textOf(event['uuid']),
    $viewport: sizeOf(given['$viewport_width'], given['$viewport_height']),
  })
  const payload = {
    event: name,
    distinct_id: isAnonymous ? undefined : id,
    anonymous_id: isAnonymous ? id : undefined,
    device_id: textOf(given['$device_id']),
    session_id: textOf(given['$session_id']),
    timestamp,
    properties,
  }
  return [{ kind: 'track', payload, at }, ...people]
}

const off = {
  supportedCompression: ['gzip', 'gzip-js', 'base64'],
  hasFeatureFlags: false,
  autocapture_opt_out: false,
  sessionRecording: false,
  capturePerformance: false,
  autocaptureExceptions: false,
  heatmaps: false,
  surveys: false,
  siteApps: [],
  isAuthenticated: false,
  toolbarParams: {},
}
const noFlags = { flags: {}, featureFlags: {}, featureFlagPayloads: {}, errorsWhileComputingFlags: false }

/** What SDKs ask before they send: how they are set up, and which flags there are. */
const tell = ({ path }: Asked, isKey: (key: string) => boolean) => {
  const [, key, ending] = /^array\/([\w.-]+)\/config(\.js)?$/.exec(path) ?? []
  if (key !== undefined && isKey(key)) {
    if (ending === undefined) return { body: off }
    const own = `(window._POSTHOG_REMOTE_CONFIG ||= {})[${JSON.stringify(key)}] = ${JSON.stringify({ config: off, siteApps: [] })}`
    return { body: own, type: 'text/javascript' }
  }
  if (/^(?:flags|decide)$/.test(path)) return { body: { ...off, ...noFlags } }
  if (path === 'api/feature_flag/local_evaluation')
    return { body: { flags: [], group_type_mapping: {}, cohorts: {} } }
  return path === 'api/surveys' ? { body: { surveys: [] } } : undefined
}

/** PostHog's capture API, of its browser and server SDKs. */
export const posthog: Sender = {
  title: 'PostHog',
  paths: /^(?:batch|capture|track|e|i\/v0\/e)$/,
  keyName: 'api_key',
  keyOf({ body }) {
    const [first] = Array.isArray(body) ? (body as unknown[]) : [body]
    const { api_key: apiKey, token, properties } = fieldsOf(first)
    return apiKey ?? token ?? fieldsOf(properties)['token']
  },
  read(asked) {
    const { batch } = fieldsOf(asked.body)
    if (batch !== undefined && !Array.isArray(batch))
      throw refuse(400, 'invalid-body', 'batch must be a list of events.')
    const events: readonly unknown[] = Array.isArray(asked.body) ? asked.body : (batch ?? [asked.body])
    return events.flatMap((each, at) => read(each, `event ${at}`, asked))
  },
  taken: () => ({ body: { status: 1 } }),
  failed: (code, message) => ({ type: 'validation_error', code, detail: message }),
  tell,
}
