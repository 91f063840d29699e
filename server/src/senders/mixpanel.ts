import {
  type Asked,
  type Fields,
  fieldsOf,
  listOf,
  type Message,
  onceAt,
  placeProperties,
  type Refused,
  type Sender,
  sizeOf,
  textOf,
} from './Sender.js'

const utms = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content']

const names: Readonly<Record<string, string | null>> = {
  $current_url: '$url',
  $referrer: '$referer',
  current_page_title: 'title',
  ip: '$ip',
  mp_country_code: '$country',
  $browser: '$browser',
  $os: '$os',
  $os_version: '$os_version',
  $manufacturer: '$device_manufacturer',
  $model: '$device_model',
  $app_version_string: '$app_version',
  $app_build_number: '$app_build',
  mp_lib: '$lib',
  $lib_version: '$lib_version',
  ...Object.fromEntries(utms.map((name) => [name, `$${name}`])),
  // These are in the fields of the event, in its address, or of the SDK's own work.
  ...Object.fromEntries(
    (
      'token time distinct_id $device_id $user_id $insert_id $identified_id $anon_distinct_id $screen_width ' +
      '$screen_height $referring_domain current_domain current_url_path current_url_protocol current_url_search ' +
      'mp_sent_by_lib_version mp_processing_time_ms $mp_api_endpoint'
    )
      .split(' ')
      .map((name) => [name, null]),
  ),
}

/** Mixpanel takes seconds, with a fraction or none, and milliseconds. */
const timeOf = (time: unknown): unknown =>
  typeof time === 'number' ? Math.round(Math.abs(time) < 100_000_000_000 ? time * 1000 : time) : time

/** Before somebody is identified the id is that of the device, with this before it. */
const ofDevice = '$device:'

const withoutMark = (id: string): string => (id.startsWith(ofDevice) ? id.slice(ofDevice.length) : id)

const readEvent = (one: unknown, at: string): Message | Refused => {
  const { event, properties } = fieldsOf(one)
  const given = fieldsOf(properties)
  const [id, deviceId] = [textOf(given['distinct_id']), textOf(given['$device_id'])]
  const timestamp = timeOf(given['time'])
  if (event === '$create_alias')
    return {
      kind: 'alias',
      payload: { distinct_id: withoutMark(id ?? ''), new_user_id: textOf(given['alias']) },
      at,
    }
  if (event === '$identify') {
    const anonymousId = textOf(given['$anon_distinct_id']) ?? textOf(given['$anon_id'])
    const ids = {
      distinct_id: textOf(given['$identified_id']) ?? textOf(given['$user_id']) ?? id,
      anonymous_id: anonymousId && withoutMark(anonymousId),
    }
    return { kind: 'identify', payload: { ...ids, timestamp }, at }
  }
  const isOfDevice = id?.startsWith(ofDevice) === true
  const referrer = given['$referrer'] === '$direct' ? null : given['$referrer']
  const payload = {
    event: event === '$mp_web_page_view' ? '$pageview' : event,
    distinct_id: textOf(given['$user_id']) ?? (isOfDevice ? undefined : id),
    anonymous_id: deviceId ?? (isOfDevice ? withoutMark(id) : undefined),
    device_id: deviceId,
    timestamp,
    properties: placeProperties({ ...given, $referrer: referrer }, names, {
      insert_id: textOf(given['$insert_id']),
      $viewport: sizeOf(given['$screen_width'], given['$screen_height']),
    }),
  }
  return { kind: 'track', payload, at }
}

/** An update of a person; what counts or collects has no place among traits. */
const readUpdate = (one: unknown, at: string, { receivedMs }: Asked): (Message | Refused)[] => {
  const update = fieldsOf(one)
  const id = textOf(update['$distinct_id'])
  const time = timeOf(update['$time'])
  const identify = (traits: Fields, timestamp: unknown): Message => ({
    kind: 'identify',
    payload: { distinct_id: id === undefined ? id : withoutMark(id), traits, timestamp },
    at,
  })
  return Object.entries(update).flatMap(([name, value]): (Message | Refused)[] => {
    if (name === '$set') return [identify(fieldsOf(value), time)]
    if (name === '$set_once') return [identify(fieldsOf(value), onceAt(time, receivedMs))]
    if (name === '$unset')
      return [identify(Object.fromEntries(listOf(value).map((each) => [String(each), null])), time)]
    if (/^\$(?:add|append|union|remove|delete)$/.test(name))
      return [
        { refused: `${name} has no place here: traits are set, and what happens is counted by SQL.`, at },
      ]
    return []
  })
}

/** `{ "$token": … }` of an update, the `token` among an event's properties, or the user of `/import`. */
const keyOf = ({ headers, body }: Asked): unknown => {
  const first = fieldsOf(listOf(body)[0])
  const [, basic] = /^basic (\S+)$/i.exec(headers.authorization ?? '') ?? []
  const user =
    basic &&
    Buffer.from(basic, 'base64')
      .toString()
      .replace(/:[^:]*$/, '')
  return fieldsOf(first['properties'])['token'] ?? first['$token'] ?? user
}

/** Mixpanel's ingestion API. */
export const mixpanel: Sender = {
  title: 'Mixpanel',
  paths: /^(?:track|engage|import|groups)$/,
  keyName: 'token',
  keyOf,
  read(asked) {
    const all = listOf(asked.body)
    if (asked.path === 'groups') return [{ refused: 'Groups have no profiles here.', at: 'the update' }]
    return asked.path === 'engage'
      ? all.flatMap((each, at) => readUpdate(each, `update ${at}`, asked))
      : all.map((each, at) => readEvent(each, `event ${at}`))
  },
  taken({ path, search }, count) {
    if (path === 'import') return { body: { code: 200, num_records_imported: count, status: 'OK' } }
    return { body: search.get('verbose') === '1' ? { status: 1, error: null } : '1' }
  },
  failed: (code, message, status) => ({ status: 0, code: status, error: message, error_code: code }),
}
