import { readApiKey } from '../http/apiKeys.js'
import {
  type Asked,
  type Fields,
  fieldsOf,
  type Message,
  placeProperties,
  type Refused,
  type Sender,
  textOf,
} from './Sender.js'

const names: Readonly<Record<string, string | null>> = {
  'url.full': '$url',
  'browser.language': '$language',
  'user_agent.original': '$user_agent',
  'client.address': '$ip',
  'os.name': '$os',
  'os.version': '$os_version',
  'device.manufacturer': '$device_manufacturer',
  'device.model.name': '$device_model',
  'service.name': '$app_name',
  'service.version': '$app_version',
  'telemetry.sdk.name': '$lib',
  'telemetry.sdk.version': '$lib_version',
  // These are in the fields of the event.
  ...Object.fromEntries(
    'event.name user.id enduser.id session.id browser.instance.id device.id log.record.uid'
      .split(' ')
      .map((name) => [name, null]),
  ),
}

const list = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : [])

/** A value with its type, as OTLP writes it. */
const valueOf = (given: unknown): unknown => {
  const { intValue, arrayValue, kvlistValue, ...plain } = fieldsOf(given)
  // A whole number of 64 bits is a text in JSON.
  if (intValue !== undefined)
    return typeof intValue === 'string' && Number.isSafeInteger(Number(intValue))
      ? Number(intValue)
      : intValue
  if (arrayValue !== undefined) return list(fieldsOf(arrayValue)['values']).map(valueOf)
  return kvlistValue === undefined ? Object.values(plain)[0] : attributesOf(fieldsOf(kvlistValue)['values'])
}

const attributesOf = (given: unknown): Fields =>
  Object.fromEntries(list(given).map(({ key, value }) => [textOf(key) ?? 'value', valueOf(value)]))

/** Nanoseconds, which no number of JSON holds, as milliseconds. */
const msOf = (nanos: unknown): number | undefined => {
  const digits = textOf(nanos)
  return digits === undefined || !/^\d{7,20}$/.test(digits) || Number(digits) === 0
    ? undefined
    : Number(digits.slice(0, -6))
}

const read = (record: Fields, common: Fields, at: string): Message | Refused => {
  const given = { ...common, ...attributesOf(record['attributes']) }
  const event = textOf(record['eventName']) ?? textOf(given['event.name'])
  if (event === undefined) return { refused: 'A record without an eventName is a log, and no event.', at }
  const body = valueOf(record['body'])
  const more = typeof body === 'object' && body !== null && !Array.isArray(body) ? body : { body }
  const deviceId = textOf(given['device.id']) ?? textOf(given['browser.instance.id'])
  const payload = {
    event: event === 'browser.page_view' ? '$pageview' : event,
    distinct_id: textOf(given['user.id']) ?? textOf(given['enduser.id']),
    anonymous_id: deviceId,
    device_id: deviceId,
    session_id: textOf(given['session.id']),
    timestamp: msOf(record['timeUnixNano']) ?? msOf(record['observedTimeUnixNano']),
    properties: placeProperties({ ...more, ...given }, names, { insert_id: textOf(given['log.record.uid']) }),
  }
  return { kind: 'track', payload, at }
}

const readAll = ({ body }: Asked): (Message | Refused)[] => {
  let place = 0
  return list(fieldsOf(body)['resourceLogs']).flatMap(({ resource, scopeLogs }) => {
    const common = attributesOf(fieldsOf(resource)['attributes'])
    return list(scopeLogs).flatMap(({ logRecords }) =>
      list(logRecords).map((record) => read(record, common, `record ${place++}`)),
    )
  })
}

/** Events in OpenTelemetry's logs, by OTLP over HTTP in JSON. */
export const otlp: Sender = {
  title: 'OpenTelemetry',
  paths: /^v1\/logs$/,
  keyName: 'The header X-API-Key',
  keyOf: ({ headers }) => readApiKey(headers, ''),
  read: readAll,
  taken: () => ({ body: {} }),
  failed: (code, message) => ({ code: 3, message, error: code }),
}
