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

/** Scripts have short names for the fields, and programs long ones. */
const fieldOf = (body: Fields, short: string, long: string): unknown => body[long] ?? body[short]

/** Values of a property may be JSON in a text, as older scripts send them. */
const propsOf = (given: unknown): Fields => {
  if (typeof given !== 'string') return fieldsOf(given)
  try {
    return fieldsOf(JSON.parse(given))
  } catch {
    return { props: given }
  }
}

const read = ({ body }: Asked): Message | Refused => {
  const given = fieldsOf(body)
  const name = textOf(fieldOf(given, 'n', 'name'))
  const at = 'the event'
  if (name === undefined) return { refused: 'name must say what happened.', at }
  const url = textOf(fieldOf(given, 'u', 'url'))
  if (url === undefined) return { refused: 'url must be the page’s.', at }
  const known = {
    $url: url,
    $referer: textOf(fieldOf(given, 'r', 'referrer')),
    $lib: 'plausible',
    $lib_version: textOf(given['v']),
  }
  const money = fieldsOf(fieldOf(given, '$', 'revenue'))
  const { amount, currency } = money
  const own = {
    ...propsOf(fieldOf(given, 'p', 'props')),
    revenue: amount,
    currency,
    interactive: fieldOf(given, 'i', 'interactive'),
    scroll_depth: given['sd'],
    engaged_ms: given['e'],
  }
  const event = name === 'pageview' ? '$pageview' : name
  return {
    kind: 'track',
    payload: { event, properties: placeProperties(own, {}, known) },
    at,
    isAnonymous: true,
  }
}

/** Plausible's events API, whose visitors are counted without an id. The domain stands for a key by `--senders`. */
export const plausible: Sender = {
  title: 'Plausible',
  paths: /^api\/event$/,
  keyName: 'domain',
  keyOf: ({ body }) => fieldOf(fieldsOf(body), 'd', 'domain'),
  read: (asked) => [read(asked)],
  taken: () => ({ status: 202, body: 'ok' }),
}
