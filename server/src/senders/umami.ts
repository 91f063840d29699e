import {
  type Asked,
  fieldsOf,
  listOf,
  type Message,
  placeProperties,
  type Refused,
  type Sender,
  textOf,
  timeOf,
} from './Sender.js'

const names: Readonly<Record<string, string | null>> = {
  referrer: '$referer',
  language: '$language',
  screen: '$viewport',
  userAgent: '$user_agent',
  ip: '$ip',
  // These are in the fields of the event, or in its address.
  ...Object.fromEntries(
    'website hostname url name data id timestamp type'.split(' ').map((name) => [name, null]),
  ),
}

const read = (one: unknown, at: string, { receivedMs }: Asked): Message | Refused => {
  const { type, payload: given } = fieldsOf(one)
  const payload = fieldsOf(given)
  const id = textOf(payload['id'])
  // Umami's times are in seconds.
  const { timestamp: seconds } = payload
  const timestamp = typeof seconds === 'number' ? timeOf(seconds * 1000, undefined, receivedMs) : seconds
  if (type === 'identify') {
    if (id === undefined) return { refused: 'An identify without an id names nobody.', at }
    return {
      kind: 'identify',
      payload: { distinct_id: id, traits: fieldsOf(payload['data']), timestamp },
      at,
    }
  }
  if (type !== undefined && type !== 'event') return { refused: 'type must be event or identify.', at }
  const [url, host] = [textOf(payload['url']), textOf(payload['hostname'])]
  const $url = url?.startsWith('/') === true && host !== undefined ? `https://${host}${url}` : url
  const properties = placeProperties({ ...payload, ...fieldsOf(payload['data']) }, names, {
    $url,
    $lib: 'umami',
  })
  const event = { event: textOf(payload['name']) ?? '$pageview', distinct_id: id, timestamp, properties }
  return { kind: 'track', payload: event, at, ...(id === undefined && { isAnonymous: true }) }
}

/** Umami's API. Who has no id of the site's is counted without one. The website stands for a key by `--senders`. */
export const umami: Sender = {
  title: 'Umami',
  paths: /^api\/(?:send|batch)$/,
  keyName: 'website',
  keyOf: ({ body }) => fieldsOf(fieldsOf(listOf(body)[0])['payload'])['website'],
  read: (asked) => listOf(asked.body).map((each, at) => read(each, `event ${at}`, asked)),
  taken: (_, count) => ({ body: { ok: true, processed: count } }),
}
