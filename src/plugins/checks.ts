import { defaults } from '../core/config'
import { brief, isObject } from '../core/json'
import { checkCalls, type Checked } from './checkCalls'
import { distance } from './distance'
import { trail } from './trail'
import type { Plugin, Signals, Waymark } from '../core/types'

/** Every option there is, with those that are none by default. */
const options = {
  ...defaults,
  transport: { ...defaults.transport, fetch: undefined },
  url: { ...defaults.url, redact: undefined },
  beforeSend: undefined,
}

/** What happened, why, and what to do; `what` is the value that the core names. */
const texts: Record<string, (what: string) => string> = {
  'invalid-event-name': (what) =>
    `An event was refused, because its name is ${what || 'empty'}. Give track() a text that is not empty.`,
  'event-name-too-long': (what) =>
    `The event "${what}…" was refused, because its name has more than 400 characters. Put what changes from event to event into its properties.`,
  'property-name-too-long': (what) =>
    `The property "${what}…" was refused, because its name has more than 400 characters. Put long text into a property's value.`,
  'trait-name-too-long': (what) =>
    `The trait "${what}…" was refused, because its name has more than 400 characters. Put long text into a trait's value.`,
  'unknown-built-in-property': (what) =>
    `The property "${what}" was left out, because names that begin with "$" belong to the service, and it has none of that name. Name it "${what.slice(1)}".`,
  'invalid-user-id': (what) =>
    `A call was refused, because "${what}" cannot be a user's id: everybody who gets it would become one person. Call identify() and alias() only when someone is signed in, with the id of that user.`,
  'invalid-properties': (what) =>
    `Properties were left out, because ${what} is not an object. Give { name: value }; to page() give the address as { $url }.`,
  'invalid-timestamp': (what) =>
    `The event got the time of the call, because ${what} is not a date with a year of four digits. Give Unix milliseconds, ISO 8601 text or a Date.`,
  'invalid-insert-id': (what) =>
    `The event got a new id, because ${what || 'an empty text'} cannot be the id of one event alone. Give a text such as "paid-1042".`,
  'invalid-before-send': (what) =>
    `A call was dropped, because a beforeSend ${what === 'is async' ? 'is async, and nothing waits for it' : `returned ${what}`}. Let it return the draft or null at once.`,
  'shut-down': () =>
    `A second init() was refused, because shutdown() has ended the instance. Make another one with createWaymark().`,
  'not-identified': () =>
    `Traits were refused, because nobody is signed in. Call identify() before updateTraits().`,
  'before-send-failed': (what) =>
    `A beforeSend threw an error (${what}), and the event was sent unchanged. Correct that function. If it removes private data, let it return null where it is not sure.`,
  'plugin-failed': (what) =>
    `A plugin threw an error (${what}) when it was started or removed. Correct it, or report the error to its author.`,
  unreadable: (what) =>
    `A call was refused, because reading its arguments threw an error (${what}). Give plain values, not proxies.`,
  internal: (what) =>
    `Something failed that should not have (${what}). If a function that you gave to on() threw it, correct that function. Otherwise please report it. The queue goes on.`,
  'missing-api-key': () =>
    `Nothing is sent, because init() got no API key. Give it as the first argument, or as data-api-key, with both hyphens; calls are kept until then.`,
  'missing-endpoint': (what) =>
    `Nothing is sent, because ${what ? `"${what}" is not a URL` : 'init() got no endpoint'}. Give the service's base URL, as "https://…" or as a path of this site, "/…", in { endpoint } or data-endpoint; calls are kept until then.`,
  'already-on-page': (what) =>
    `Another instance of "${what}" follows this page, so the plugins of this one do not run: nothing is counted twice. Load the library once, and call init() once.`,
  'anonymous-unknown': (what) =>
    `The service does not take events without ids (${what}), so none are sent. Does the proxy pass on "/anonymous"?`,
  unreachable: (what) =>
    `No answer came from ${what.split(' ')[0]}: the service is down, an ad blocker or a Content-Security-Policy (connect-src) stands between, or what answers, a login page perhaps, sends no CORS headers; the browser's own line tells which. Events are kept, and tried again.`,
  'not-the-service': (what) =>
    `Something else than the service answered (${describeAnswer(what)}). Is there a rule in the proxy or the development server that passes the path of "endpoint" on to the service, and does the service run? Events are kept, and tried again.`,
  'service-fails': (what) =>
    `The service answers, and has accepted nothing in three tries (${what}). Its own log says why. Events are kept, and tried again.`,
  'already-initialised': (what) =>
    `A second init() was refused, because the instance runs with another key or environment than "${what}". Make a second instance with createWaymark().`,
  unauthorized: (what) => refusedKey(what),
  'http-401': (what) => refusedKey(what),
  'http-403': (what) => refusedKey(what),
  'invalid-headers': (what) => refusedKey(what),
  'environment-not-allowed': (what) =>
    `The API key is for another environment (${what}). Correct "environment" or the key; events are kept meanwhile, and tried again every one to three minutes.`,
  'environment-not-found': (what) =>
    `The service does not know the environment (${what}). Correct "environment", or add it to the service's --environments; events are kept meanwhile, and tried again every one to three minutes.`,
  'not-found': (what) => nothingThere(what),
  'http-404': (what) => nothingThere(what),
}

/** `what` is a status, and the beginning of a body. */
const describeAnswer = (what: string) => {
  const status = what.slice(0, 3)
  const body = what.slice(4).trim()
  return `${status}, ${!body ? 'empty' : body.startsWith('<') ? 'a page of HTML' : `"${body}"`}`
}

const refusedKey = (what: string) =>
  `The service does not accept the API key (${what}). Correct the key, or "transport.auth"; events are kept meanwhile, and tried again every one to three minutes.`

const nothingThere = (what: string) =>
  `Nothing answers at that address (${what}). Correct "endpoint": the service's base URL, without "/track"; events are kept meanwhile, and tried again every one to three minutes.`

const warn = (code: string, text: string) =>
  console.warn(`[waymark] ${code}: ${text} (see docs/errors.md#${code})`)

/** Puts the core's message, which only names what is wrong, into words. */
const explain = (error: Signals['error']) => {
  const text = Object.keys(texts).includes(error.code) && texts[error.code]!(error.message)
  if (text) error.message = text
}

/** Options that take one of a few values, by their path. */
const choices: Record<string, unknown[]> = {
  consent: ['granted', 'denied', 'pending', 'anonymous'],
  persistence: ['indexeddb', 'memory'],
  delivery: ['once', 'at-least-once'],
  'transport.auth': ['query', 'header', 'bearer'],
  'transport.beacon': ['auto', true, false],
}

/** What `configure` changes; the rest is read by `init` alone. */
const changeable = ['release', 'insertId', 'beforeSend', 'debug']

/** What an option has to be; undefined when it is. */
const findFault = (path: string, usual: unknown, value: unknown): string | undefined => {
  const one = choices[path]
  if (one)
    return one.includes(value) ? undefined : `one of ${one.map((each) => JSON.stringify(each)).join(', ')}`
  if (path === 'insertId')
    return value === false || typeof value === 'string' ? undefined : "a property's name, or false"
  if (usual === undefined) return typeof value === 'function' ? undefined : 'a function'
  if (Array.isArray(usual)) return Array.isArray(value) ? undefined : 'a list'
  if (isObject(usual)) return isObject(value) ? undefined : `an object, like ${JSON.stringify(usual)}`
  if (typeof usual === 'number')
    return typeof value === 'number' && value >= 0 ? undefined : `a number, like ${usual}`
  return typeof value === typeof usual ? undefined : `a ${typeof usual}`
}

const plain = (name: string) => name.toLowerCase().replaceAll(/[^a-z]/g, '')

/** The right name of an option that is nearly written so, or lies in another place. */
const nearest = (name: string, path: string): string | undefined => {
  const paths = Object.entries(options).flatMap(([outer, value]) => [
    outer,
    ...(isObject(value) ? Object.keys(value).map((inner) => `${outer}.${inner}`) : []),
  ])
  const lastOf = (each: string) => each.slice(each.indexOf('.') + 1)
  const far = (each: string) =>
    distance(plain(name), plain(lastOf(each))) + (each === path + lastOf(each) ? 0 : 0.5)
  const found = paths.sort((a, b) => far(a) - far(b))[0]!
  return far(found) <= Math.max(1.5, name.length / 3) ? found : undefined
}

/** A host without a scheme, which is a path of the page. */
const isHost = (endpoint: unknown) =>
  typeof endpoint === 'string' && /^([\w-]+\.)+[a-z]{2,}(:\d+)?(\/|$)|^localhost(:\d+)?(\/|$)/i.test(endpoint)

/** Names every option that does not exist or is of the wrong type; the core takes their defaults. */
const checkOptions = (given: unknown, usual: object, path = ''): void => {
  for (const [name, value] of Object.entries(given ?? {})) {
    if (value === undefined) continue
    const option = path + name
    const names = Object.keys(usual)
    if (!names.includes(name)) {
      const right = nearest(name, path)
      warn(
        'unknown-option',
        `There is no option "${option}", so it was left out. ${
          /^api-?key$/i.test(name)
            ? 'Did you mean data-api-key, or the first argument of init()?'
            : right
              ? `Did you mean "${right}"?`
              : `There are: ${names.join(', ')}.`
        }`,
      )
      continue
    }
    const default_ = usual[name as keyof typeof usual] as unknown
    const fault = findFault(option, default_, value)
    if (fault)
      warn(
        'invalid-option',
        `The option "${option}" has to be ${fault}; it is ${brief(value)}, so its default was taken.`,
      )
    else if (isObject(default_)) checkOptions(value, default_, `${option}.`)
  }
}

/**
 * Puts every `error` into words (what happened, why, and what to do), and prints the way of each call. By script tag it
 * comes with `data-debug`; the development build has the words in use, and prints with `debug: true`.
 *
 * @example
 * waymark.init('pk_1', { endpoint: 'https://api.example.com', debug: true, plugins: [checks()] })
 */
export function checks(): Plugin {
  const { beforeSend, start } = trail()
  return {
    name: 'checks',
    beforeSend,
    start(host) {
      const stops = [host.on('error', explain), start(host)]
      return () => {
        for (const stop of stops) stop()
      }
    },
  }
}

/** Puts errors into words from before `init` on, and checks the options of every call. Returns the instance. */
export function withChecks<Instance extends Pick<Waymark, 'init' | 'configure' | 'on' | 'use'> & Checked>(
  waymark: Instance,
): Instance {
  const { init, configure } = waymark
  waymark.on('error', explain)
  checkCalls(waymark, warn)
  waymark.init = (apiKey, config) => {
    if (!('at' in []))
      warn(
        'too-old-browser',
        'Nothing is recorded, because this browser is too old. Use Chrome or Edge 92, Firefox 90, Safari 15.4 or a newer one.',
      )
    checkOptions(config, options)
    if (isHost(config?.endpoint))
      warn(
        'endpoint-without-scheme',
        `Events go to a path of this page, because the endpoint "${config.endpoint}" has no scheme. Write "https://${config.endpoint}", or "/${config.endpoint}" for a path.`,
      )
    if (config?.debug) waymark.use(trail())
    return init(apiKey, config)
  }
  waymark.configure = (patch) => {
    checkOptions(patch, options)
    const fixed = Object.keys(patch ?? {}).filter(
      (name) => Object.keys(options).includes(name) && !changeable.includes(name),
    )
    if (fixed[0])
      warn('invalid-option', `configure() does not change ${fixed.join(', ')}: give it to init().`)
    configure(patch)
  }
  return waymark
}
