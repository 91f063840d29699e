import { refuse } from '../http/HttpError.js'
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
  url: '$url',
  refr: '$referer',
  page: 'title',
  tv: '$lib_version',
  ua: '$user_agent',
  lang: '$language',
  tz: 'browser_time_zone',
  vp: '$viewport',
  ip: '$ip',
  se_ca: 'category',
  se_la: 'label',
  se_pr: 'property',
  se_va: 'value',
  // These are in the fields of the event, or say how it was sent.
  ...Object.fromEntries(
    'e eid aid uid duid nuid tnuid sid dtm stm ttm se_ac ue_pr ue_px co cx p tna vid f_pdf cs cookie cd'
      .split(' ')
      .map((name) => [name, null]),
  ),
}

const json = (text: unknown): Fields => {
  try {
    return fieldsOf(JSON.parse(String(text)))
  } catch {
    return {}
  }
}
const fromBase64 = (text: unknown): Fields => json(Buffer.from(textOf(text) ?? '', 'base64').toString())

/** `sign_up` of `iglu:com.acme/sign_up/jsonschema/1-0-0`. */
const nameOf = (schema: unknown): string | undefined =>
  /^iglu:[^/]+\/([^/]+)\//.exec(textOf(schema) ?? '')?.[1]

const at = (text: unknown): number | undefined => (/^\d{1,15}$/.test(String(text)) ? Number(text) : undefined)

/** A time that is true is taken as it is; that of a device is corrected by when the device says that it sent. */
const timeOf = ({ ttm, dtm, stm }: Fields, receivedMs: number): number | undefined => {
  const [trueMs, deviceMs, sentMs] = [at(ttm), at(dtm), at(stm)]
  if (trueMs !== undefined || deviceMs === undefined || sentMs === undefined) return trueMs ?? deviceMs
  return receivedMs - sentMs + deviceMs
}

const happened = (event: Fields): { event: unknown; more?: Fields } => {
  const { e, se_ac: action } = event
  if (e === 'pv') return { event: '$pageview' }
  if (e === 'pp') return { event: 'page_ping' }
  if (e === 'se') return { event: action }
  if (e !== 'ue') return { event: textOf(e) }
  const envelope = event['ue_px'] === undefined ? json(event['ue_pr']) : fromBase64(event['ue_px'])
  const { schema, data } = fieldsOf(envelope['data'])
  return { event: nameOf(schema), more: fieldsOf(data) }
}

/** The entities of an event, by the names of their schemas. */
const contextsOf = (event: Fields): Fields => {
  const { data } = event['cx'] === undefined ? json(event['co']) : fromBase64(event['cx'])
  const entities = Array.isArray(data) ? data.map(fieldsOf) : []
  const found = new Map<string, unknown>()
  for (const { schema, data: each } of entities) {
    const name = nameOf(schema) ?? 'context'
    found.set(name, found.has(name) ? [found.get(name), each].flat() : each)
  }
  return Object.fromEntries(found)
}

const read = (one: unknown, place: string, { receivedMs }: Asked): Message | Refused => {
  const event = fieldsOf(one)
  const said = happened(event)
  if (said.event === undefined) return { refused: 'e must be pv, pp, se, or ue with its event.', at: place }
  const browserId = textOf(event['duid'])
  const payload = {
    event: said.event,
    distinct_id: textOf(event['uid']),
    anonymous_id: browserId ?? textOf(event['tnuid']) ?? textOf(event['nuid']),
    device_id: browserId,
    session_id: textOf(event['sid']),
    timestamp: timeOf(event, receivedMs),
    properties: placeProperties({ ...event, ...said.more, ...contextsOf(event) }, names, {
      insert_id: textOf(event['eid']),
      $lib: 'snowplow',
    }),
  }
  return { kind: 'track', payload, at: place }
}

const eventsOf = ({ method, search, body }: Asked): readonly unknown[] => {
  if (method === 'GET') return [Object.fromEntries(search)]
  const { data } = fieldsOf(body)
  if (!Array.isArray(data)) throw refuse(400, 'invalid-body', 'data must be a list of events.')
  return data
}

/** Snowplow's tracker protocol. The id of the application stands for a key, itself or by `--senders`. */
export const snowplow: Sender = {
  title: 'Snowplow',
  paths: /^(?:com\.snowplowanalytics\.snowplow\/tp2|i)$/,
  keyName: 'appId',
  keyOf: (asked) => fieldsOf(eventsOf(asked)[0])['aid'],
  read: (asked) => eventsOf(asked).map((each, place) => read(each, `data ${place}`, asked)),
  taken: () => ({ body: 'ok' }),
}
