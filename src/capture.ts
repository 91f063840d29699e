import { fields, isTooLong, isUnknown } from './contract'
import { wake } from './delivery'
import { newId, readUserId } from './ids'
import type { Instance } from './instance'
import { isObject, toJson } from './json'
import { filters } from './plugins'
import { put } from './queue'
import { complain, tell } from './signals'
import { createTracked } from './tracked'
import type { BeforeSend, Draft, DropReason, Kind, Properties, TrackOptions, Tracked } from './types'
import { act, readIds, touch } from './visitor'

/** A call that waits for the visitor to be known: what to run then, or what to tell it when it is refused. */
export interface Call {
  run(): void
  drop(reason: DropReason): void
  /** Of what belongs to a session: when it was called. */
  at?: number | undefined
}

/** Ends a call, by being thrown and caught here: what is wrong has a code and is said, the rest is only counted. */
type Refusal = [reason: DropReason, errorCode?: string, what?: unknown]

/** `what` is the name or the value that is wrong. */
export function refuse(errorCode: string, what: unknown): never {
  throw ['invalid', errorCode, what] satisfies Refusal
}

const readUser = (given: unknown): string => readUserId(given) ?? refuse('invalid-user-id', given)

/**
 * Copies `given`, with every value made fit for JSON: nothing in it is the caller's any more. What is named wrongly is
 * said, and left out; a name that is too long may refuse the whole.
 */
export function copy(w: Instance, given: unknown, noun?: 'property' | 'trait'): Properties {
  const own: Properties = {}
  if (!isObject(given)) {
    if (given !== undefined) complain(w, 'invalid-properties', given)
    return own
  }
  for (const name of Object.keys(given)) {
    if (isTooLong(name)) {
      if (noun) refuse(`${noun}-name-too-long`, name)
      complain(w, 'property-name-too-long', name)
    } else if (noun !== 'trait' && isUnknown(name)) complain(w, 'unknown-built-in-property', name)
    else
      try {
        let value = given[name]
        if (!/string|number|boolean/.test(typeof value)) {
          // Undefined for a function, or where nothing was given: the name stays, so that `registerOnce` finds it.
          const json = toJson(value)
          value = json && JSON.parse(json)
        }
        own[name] = value
      } catch {
        // A getter of the caller's has thrown.
        own[name] = '[unreadable]'
      }
  }
  return own
}

const readTime = (w: Instance, given: TrackOptions['timestamp']): string => {
  if (given !== undefined) {
    try {
      // Of null it would be 1970.
      const iso = new Date(given ?? NaN).toISOString()
      // Beyond the years of four digits it is longer, and few can read it.
      if (iso.length < 25) return iso
    } catch {
      // It is no date.
    }
    complain(w, 'invalid-timestamp', given)
  }
  return new Date(w.browser.now()).toISOString()
}

/** What `beforeSend` and the plugins make of a call. */
const filter = (w: Instance, draft: Draft): Draft => {
  for (const change of filters(w)) {
    let next: ReturnType<BeforeSend> = draft
    try {
      next = change(draft)
    } catch (error) {
      complain(w, 'before-send-failed', error)
    }
    if (!next || typeof next === 'string') throw [next || 'before-send'] satisfies Refusal
    draft = next
  }
  return draft
}

/** The calls that make payloads. Time, page and id are those of the call, and so is what is refused. */
export const createCalls = (w: Instance, whenKnown: (call: Call) => void) => {
  /** Runs a call: `make` checks it now, and returns what makes the payload when the visitor is known. */
  const call =
    <A extends unknown[]>(kind: Kind, make: (...args: A) => (id: string) => object) =>
    (...args: A): Tracked => {
      const [tracked, settle] = createTracked()
      const drop = (reason: DropReason, errorCode?: string) =>
        tell(w, [kind, [{ id: tracked.id, settle }]], { status: 'dropped', reason, errorCode })
      /** Runs a part of the call. What it throws is a refusal, or an error of a getter or a proxy of the caller's. */
      const attempt = (part: () => void) => {
        try {
          part()
        } catch (thrown) {
          const [reason, errorCode, what] = (
            Array.isArray(thrown) ? thrown : ['invalid', 'unreadable', thrown]
          ) as Refusal
          if (errorCode) complain(w, errorCode, what)
          drop(reason, errorCode)
        }
      }
      attempt(() => {
        const finish = make(...args)
        const id = (tracked.id = (args[2] as TrackOptions | undefined)?.insertId ?? newId())
        whenKnown({
          run: () =>
            attempt(() => {
              const { environment } = w.config
              const body = toJson({ environment, ...finish(id) })
              put(w, kind, { id, body, settle })
              wake(w)
            }),
          drop,
          at: kind === 'track' ? w.browser.now() : undefined,
        })
      })
      return tracked
    }

  /** Traits of a user; of the one of the last `identify` without an id. */
  const describe = (user: string, given?: Properties, options?: TrackOptions) => {
    const own = copy(w, given, 'trait')
    const timestamp = readTime(w, options?.timestamp)

    return () => {
      if (user) act(w, 'login', user)
      const ids = readIds(w)
      if (!ids.userId) refuse('not-identified', own)
      const { traits } = filter(w, { kind: 'identify', userId: ids.userId, traits: own })
      return fields.identify(ids, timestamp, traits ?? {})
    }
  }

  return {
    track: call('track', (event: string, properties?: Properties, options?: TrackOptions) => {
      if (typeof event !== 'string' || !event) refuse('invalid-event-name', event)
      if (isTooLong(event)) refuse('event-name-too-long', event)
      const own = copy(w, properties, 'property')
      const timestamp = readTime(w, options?.timestamp)
      const at = w.browser.now()
      const page = w.browser.page()

      return (id) => {
        const { insertId, release } = w.config
        touch(w, at)
        const all: Properties = {
          $lib: 'waymark',
          $lib_version: __VERSION__,
          $release: release || undefined,
          $url: w.cleanUrl(page.url),
          $referer: w.cleanUrl(page.referrer) || undefined,
          $viewport: page.viewport,
          ...w.settings.persistent,
          ...own,
        }
        if (insertId) all[insertId] ??= id
        const draft = filter(w, { kind: 'track', event, properties: all })
        return fields.track(readIds(w), {
          event: draft.event ?? event,
          timestamp,
          properties: draft.properties ?? {},
        })
      }
    }),

    identify: call('identify', (userId: string, traits?: Properties, options?: TrackOptions) =>
      describe(readUser(userId), traits, options),
    ),

    updateTraits: call('identify', (traits: Properties, options?: TrackOptions) =>
      describe('', traits, options),
    ),

    alias: call('alias', (newUserId: string) => {
      const userId = readUser(newUserId)
      return () => {
        filter(w, { kind: 'alias', userId })
        return fields.alias(readIds(w), userId)
      }
    }),
  }
}
