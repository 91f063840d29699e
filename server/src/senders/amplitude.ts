import { refuse } from '../http/HttpError.js'
import {
  type Asked,
  type Fields,
  fieldsOf,
  idWith,
  type Message,
  msOf,
  onceAt,
  placeProperties,
  type Refused,
  type Sender,
  textOf,
} from './Sender.js'

const names: Readonly<Record<string, string | null>> = {
  '[Amplitude] Page Location': '$url',
  '[Amplitude] Page Title': 'title',
  '[Amplitude] Page URL': null,
  '[Amplitude] Page Path': null,
  '[Amplitude] Page Domain': null,
  referrer: '$referer',
  referring_domain: null,
  utm_source: '$utm_source',
  utm_medium: '$utm_medium',
  utm_campaign: '$utm_campaign',
  utm_term: '$utm_term',
  utm_content: '$utm_content',
  user_agent: '$user_agent',
  language: '$language',
  country: '$country',
  os_name: '$os',
  os_version: '$os_version',
  device_manufacturer: '$device_manufacturer',
  device_model: '$device_model',
  app_version: '$app_version',
}

/** The fields of an event that are not properties: ids, times and what it holds. */
const notProperties: ReadonlySet<string> = new Set(
  (
    'user_id device_id session_id event_type time insert_id event_id event_properties user_properties ' +
    'group_properties groups library ip'
  ).split(' '),
)

/** A clock that is wrong by a minute or more is corrected by when it says that it sent. */
const patienceMs = 60_000

const timeOf = ({ time }: Fields, { body, receivedMs }: Asked): unknown => {
  const [ms, sentMs] = [msOf(time), msOf(fieldsOf(body)['client_upload_time'])]
  if (ms === undefined || sentMs === undefined) return time
  const wrong = receivedMs - sentMs
  return Math.abs(wrong) < patienceMs ? ms : ms + wrong
}

/** What an identify does with a person's properties; what counts or collects has no place among traits. */
const peopleOf = (event: Fields, ids: Fields, at: string, asked: Asked): (Message | Refused)[] => {
  const timestamp = timeOf(event, asked)
  const given = fieldsOf(event['user_properties'])
  const identify = (traits: Fields, when: unknown): Message => ({
    kind: 'identify',
    payload: { ...ids, traits, timestamp: when },
    at,
  })
  const plain = Object.fromEntries(Object.entries(given).filter(([name]) => !name.startsWith('$')))
  const unset = Object.fromEntries(Object.keys(fieldsOf(given['$unset'])).map((name) => [name, null]))
  const set = { ...plain, ...fieldsOf(given['$set']), ...unset }
  const once = fieldsOf(given['$setOnce'])
  const others = Object.keys(given).filter(
    (name) => name.startsWith('$') && !/^\$(?:set|setOnce|unset)$/.test(name),
  )
  return [
    ...(Object.keys(set).length > 0 || event['event_type'] === '$identify' ? [identify(set, timestamp)] : []),
    ...(Object.keys(once).length > 0 ? [identify(once, onceAt(timestamp, asked.receivedMs))] : []),
    ...others.map((name) => ({
      refused: `${name} has no place here: traits are set, and what happens is counted by SQL.`,
      at,
    })),
  ]
}

const read = (one: unknown, at: string, asked: Asked): (Message | Refused)[] => {
  const event = fieldsOf(one)
  const type = textOf(event['event_type'])
  const [userId, deviceId] = [textOf(event['user_id']), textOf(event['device_id'])]
  if (userId === undefined && deviceId === undefined)
    return [{ refused: 'user_id or device_id must say whose it is.', at }]
  if (type === '$groupidentify') return [{ refused: 'Groups have no properties here.', at }]
  // One id alone: a user without a device, or a device that nobody has signed in on.
  const ids = { distinct_id: userId ?? deviceId, anonymous_id: userId && deviceId }
  const people = peopleOf(event, ids, at, asked)
  if (type === '$identify') return people
  const [, library, version] = /^(.*?)(?:\/([^/]*))?$/.exec(textOf(event['library']) ?? '') ?? []
  const fields = Object.entries(event).filter(([name]) => !notProperties.has(name))
  const ip = event['ip'] === '$remote' ? undefined : textOf(event['ip'])
  const known = {
    insert_id: textOf(event['insert_id']),
    $lib: library || undefined,
    $lib_version: version,
    $ip: ip,
  }
  const sessionId = event['session_id'] === -1 ? undefined : event['session_id']
  const payload = {
    event: type === '[Amplitude] Page Viewed' ? '$pageview' : type,
    distinct_id: userId,
    anonymous_id: deviceId,
    device_id: deviceId,
    session_id: idWith(sessionId, deviceId),
    timestamp: timeOf(event, asked),
    properties: placeProperties(
      { ...fieldsOf(event['event_properties']), ...Object.fromEntries(fields), groups: event['groups'] },
      names,
      known,
    ),
  }
  return [{ kind: 'track', payload, at }, ...people]
}

/** Amplitude's HTTP V2 API, and its batches. */
export const amplitude: Sender = {
  title: 'Amplitude',
  paths: /^(?:2\/httpapi|batch)$/,
  keyName: 'api_key',
  keyOf: ({ body }) => fieldsOf(body)['api_key'],
  read(asked) {
    const { events } = fieldsOf(asked.body)
    if (!Array.isArray(events)) throw refuse(400, 'invalid-body', 'events must be a list of events.')
    return events.flatMap((each, at) => read(each, `events ${at}`, asked))
  },
  taken: ({ receivedMs }, count) => ({
    body: { code: 200, events_ingested: count, payload_size_bytes: 0, server_upload_time: receivedMs },
  }),
  failed: (code, message, status) => ({ code: status, error: message, error_code: code }),
}
