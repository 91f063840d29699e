import { refuse } from '../http/HttpError.js'
import {
  type Asked,
  type Fields,
  fieldsOf,
  idWith,
  type Message,
  placeProperties,
  type Refused,
  type Sender,
  textOf,
} from './Sender.js'

const names: Readonly<Record<string, string | null>> = {
  page_location: '$url',
  page_referrer: '$referer',
  page_title: 'title',
  campaign: '$utm_campaign',
  source: '$utm_source',
  medium: '$utm_medium',
  term: '$utm_term',
  content: '$utm_content',
  language: '$language',
  screen_resolution: '$viewport',
  session_id: null,
}

/** Microseconds, as Google counts time. */
const msOf = (micros: unknown): unknown => {
  const number = typeof micros === 'string' && /^\d+$/.test(micros) ? Number(micros) : micros
  return typeof number === 'number' ? Math.round(number / 1000) : number
}

/** A user's properties are objects with a value. */
const traitsOf = (given: unknown): Fields =>
  Object.fromEntries(
    Object.entries(fieldsOf(given)).map(([name, each]) => [name, fieldsOf(each)['value'] ?? null]),
  )

const read = (body: Fields, one: unknown, at: string): Message | Refused => {
  const { name, params, timestamp_micros: micros } = fieldsOf(one)
  const given = fieldsOf(params)
  const clientId = textOf(body['client_id']) ?? textOf(body['app_instance_id'])
  const {
    category,
    operating_system: os,
    operating_system_version: osVersion,
    brand,
    model,
    browser,
  } = fieldsOf(body['device'])
  const known = {
    $lib: 'measurement protocol',
    $ip: textOf(body['ip_override']),
    $user_agent: textOf(body['user_agent']),
    $country: textOf(fieldsOf(body['user_location'])['country_id']),
    $device: textOf(category),
    $os: textOf(os),
    $os_version: textOf(osVersion),
    $device_manufacturer: textOf(brand),
    $device_model: textOf(model),
    $browser: textOf(browser),
  }
  const payload = {
    event: name === 'page_view' ? '$pageview' : name,
    distinct_id: textOf(body['user_id']),
    anonymous_id: clientId,
    device_id: clientId,
    session_id: idWith(given['session_id'], clientId),
    timestamp: msOf(micros ?? body['timestamp_micros']),
    properties: placeProperties(given, names, known),
  }
  return { kind: 'track', payload, at }
}

const readAll = ({ body }: Asked): (Message | Refused)[] => {
  const given = fieldsOf(body)
  const { events = [], user_properties: user } = given
  if (!Array.isArray(events)) throw refuse(400, 'invalid-body', 'events must be a list of events.')
  const userId = textOf(given['user_id'])
  const clientId = textOf(given['client_id']) ?? textOf(given['app_instance_id'])
  const id = userId ?? clientId
  if (id === undefined)
    throw refuse(400, 'invalid-body', 'client_id, app_instance_id or user_id must say whose it is.')
  const identify: Message = {
    kind: 'identify',
    payload: {
      distinct_id: id,
      anonymous_id: userId && clientId,
      traits: traitsOf(user),
      timestamp: msOf(given['timestamp_micros']),
    },
    at: 'user_properties',
  }
  return [
    ...(user === undefined ? [] : [identify]),
    ...events.map((each, at) => read(given, each, `events ${at}`)),
  ]
}

/** Google Analytics' Measurement Protocol. It has no id of an event, so what is sent twice is stored twice. */
export const ga4: Sender = {
  title: 'Measurement Protocol',
  paths: /^(?:debug\/)?mp\/collect$/,
  keyName: 'api_secret',
  keyOf: ({ search }) => search.get('api_secret') ?? undefined,
  read: readAll,
  taken: () => ({ status: 204, body: '' }),
}
