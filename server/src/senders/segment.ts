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
  sizeOf,
  textOf,
  timeOf,
} from './Sender.js'

/** The last part of a path by which one message comes; the browser's SDK takes the letters. */
const types = new Map(
  'track identify page screen alias group'.split(' ').flatMap((type) => [
    [type, type],
    [type[0]!, type],
  ]),
)

const names: Readonly<Record<string, string | null>> = {
  context_page_url: '$url',
  context_page_referrer: '$referer',
  context_page_title: 'title',
  context_page_path: null,
  context_page_search: null,
  context_userAgent: '$user_agent',
  context_userAgentData_brands: null,
  context_locale: '$language',
  context_timezone: 'browser_time_zone',
  context_ip: '$ip',
  context_campaign_source: '$utm_source',
  context_campaign_medium: '$utm_medium',
  context_campaign_name: '$utm_campaign',
  context_campaign_term: '$utm_term',
  context_campaign_content: '$utm_content',
  context_device_id: null,
  context_device_manufacturer: '$device_manufacturer',
  context_device_model: '$device_model',
  context_os_name: '$os',
  context_os_version: '$os_version',
  context_app_name: '$app_name',
  context_app_version: '$app_version',
  context_app_build: '$app_build',
  context_app_namespace: '$app_namespace',
  context_library_name: '$lib',
  context_library_version: '$lib_version',
  context_sessionId: null,
}

/** A page's own properties, which Segment's SDKs fill in. */
const pageNames = { ...names, url: '$url', referrer: '$referer', path: null, search: null }

/** The fields of `context`, such as `context_page_url`. */
const flatContext = (context: Fields): Fields => {
  const flat: Record<string, unknown> = {}
  for (const [group, value] of Object.entries(context)) {
    const inner = Object.entries(fieldsOf(value))
    for (const [name, each] of inner) flat[`context_${group}_${name}`] = each
    if (typeof value !== 'object' || Array.isArray(value)) flat[`context_${group}`] = value
  }
  return flat
}

/** What a message about an event says; undefined for a type that is none. */
const happened = (
  type: string | undefined,
  { event, name, category, groupId, properties, traits }: Fields,
) => {
  const given = fieldsOf(properties)
  if (type === 'track') return { event, given }
  if (type === 'page') return { event: '$pageview', given, known: { name, category } }
  if (type === 'screen') return { event: '$screen', given, known: { $screen_name: name, category } }
  return type === 'group'
    ? { event: '$group', given: fieldsOf(traits), known: { group_id: groupId } }
    : undefined
}

const read = (given: unknown, at: string, { body, path, receivedMs }: Asked): Message | Refused => {
  const message = fieldsOf(given)
  const type = textOf(message['type']) ?? types.get(path.split('/').at(-1)!)
  const context = fieldsOf(message['context'])
  const [userId, anonymousId] = [textOf(message['userId']), textOf(message['anonymousId'])]
  const sentAt = message['sentAt'] ?? fieldsOf(body)['sentAt']
  const timestamp = timeOf(message['originalTimestamp'] ?? message['timestamp'], sentAt, receivedMs)
  if (userId === undefined && anonymousId === undefined && textOf(message['previousId']) === undefined)
    return { refused: 'userId or anonymousId must say whose it is.', at }
  if (type === 'alias') {
    const payload = { distinct_id: textOf(message['previousId']) ?? anonymousId, new_user_id: userId }
    return { kind: 'alias', payload, at }
  }
  if (type === 'identify') {
    const traits = { ...fieldsOf(context['traits']), ...fieldsOf(message['traits']) }
    const ids = { distinct_id: userId ?? anonymousId, anonymous_id: userId && anonymousId }
    return { kind: 'identify', payload: { ...ids, traits, timestamp }, at }
  }
  const said = happened(type, message)
  if (said === undefined)
    return { refused: 'type must be track, identify, page, screen, group or alias.', at }
  const { width, height, innerWidth, innerHeight } = fieldsOf(context['screen'])
  const properties = placeProperties(
    { ...said.given, ...flatContext(context) },
    type === 'page' ? pageNames : names,
    {
      insert_id: textOf(message['messageId']),
      $viewport: sizeOf(innerWidth, innerHeight) ?? sizeOf(width, height),
      ...said.known,
    },
  )
  const payload = {
    event: said.event,
    distinct_id: userId,
    anonymous_id: anonymousId,
    device_id: textOf(fieldsOf(context['device'])['id']),
    session_id: idWith(context['sessionId'], anonymousId),
    timestamp,
    properties,
  }
  return { kind: 'track', payload, at }
}

/** `Basic KEY:`, or the header of Jitsu, `KEY:secret`; the browser's SDK also has it in the body. */
const keyOf = ({ headers, body }: Asked): unknown => {
  const [, basic] = /^basic (\S+)$/i.exec(headers.authorization ?? '') ?? []
  const header = headers['x-write-key']?.toString()
  const pair = basic === undefined ? header : Buffer.from(basic, 'base64').toString()
  return pair?.replace(/:[^:]*$/, '') ?? fieldsOf(body)['writeKey']
}

/** What the browser's SDKs ask before they send: Segment's which destinations there are, RudderStack's whether the source is on. */
const tell = ({ path, search, address, isHttps }: Asked, isKey: (key: string) => boolean) => {
  const key = /^v1\/projects\/([^/]+)\/settings$/.exec(path)?.[1]
  if (key !== undefined && isKey(decodeURIComponent(key))) {
    const own = { apiKey: key, apiHost: `${address}/v1`, protocol: isHttps ? 'https' : 'http' }
    const plan = { track: { __default: { enabled: true, integrations: {} } } }
    return {
      body: { integrations: { 'Segment.io': own }, plan, metrics: { sampleRate: 0 }, remotePlugins: [] },
    }
  }
  const writeKey = search.get('writeKey')
  if (!/^sourceConfig\/?$/.test(path) || writeKey === null || !isKey(writeKey)) return undefined
  const off = { enabled: false }
  const config = { statsCollection: { errors: off, metrics: off } }
  const about = { id: writeKey, name: 'waymark', writeKey, workspaceId: 'waymark', enabled: true, config }
  return {
    body: { source: { ...about, connections: [], destinations: [] }, updatedAt: new Date(0).toISOString() },
  }
}

/** Segment's HTTP API, and the SDKs of RudderStack and Jitsu, which speak it with small differences. */
export const segment: Sender = {
  title: 'Segment',
  paths: /^(?:v1\/(?:track|identify|page|screen|alias|group|batch|import|[tipsagb])|api\/s\/(?:s2s\/)?\w+)$/,
  keyName: 'writeKey',
  keyOf,
  read(asked) {
    const { batch } = fieldsOf(asked.body)
    if (batch === undefined) return [read(asked.body, 'the message', asked)]
    if (!Array.isArray(batch)) throw refuse(400, 'invalid-body', 'batch must be a list of messages.')
    return batch.map((each, at) => read(each, `batch ${at}`, asked))
  },
  taken: () => ({ body: { success: true, ok: true } }),
  failed: (code, message) => ({ success: false, error: code, message }),
  tell,
}
