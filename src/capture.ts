import { maybe } from './maybe'
import { look, refuses } from './consent'
import { isTooLong, isUnknown, toFields } from './contract'
import { wake } from './delivery'
import { newId, readUserId } from './ids'
import { isAway, type Instance } from './instance'
import { isObject, toJson, toText } from './json'
import { filters } from './plugins'
import { put } from './queue'
import { complain, tell } from './signals'
import { createTracked } from './tracked'
import type { BeforeSend, Draft, DropReason, Kind, Properties, TrackOptions, Tracked } from './types'
import { isInSession } from './session'
import { act, readIds, touch } from './visitor'

/** A call that waits for the visitor to be known: what to run then, or what to tell it when it is refused. */
export interface Call {
  run(): void
  drop(reason: DropReason): void
}

/** Calls kept before the visitor is known; the oldest go first. */
const mostWaiting = 1000

/** Ends a call, by being thrown and caught here: what is wrong has a code and is said, the rest is only counted. */
type Refusal = [reason: DropReason, errorCode?: string, what?: unknown]

/** `what` is the name or the value that is wrong. */
export const refuse: (errorCode: string, what: unknown) => never = (errorCode, what) => {
  throw ['invalid', errorCode, what] satisfies Refusal
}

const readUser = (given: unknown): string => readUserId(given) ?? refuse('invalid-user-id', given)

/**
 * Copies `given`, with every value made fit for JSON: nothing in it is the caller's any more. What is named wrongly is
 * said, and left out; a name that is too long may refuse the whole.
 */
export const copy = (w: Instance, given: unknown, noun?: 'property' | 'trait'): Properties => {
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

const readTime = (w: Instance, at: number, given: TrackOptions['timestamp'] = at): string => {
  // Of null it would be 1970.
  const iso = maybe(() => new Date(given ?? NaN).toISOString()) ?? ''
  // Beyond the years of four digits it is longer, and few can read it.
  if (iso.length === 24) return iso
  complain(w, 'invalid-timestamp', given)
  return new Date(at).toISOString()
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

/** Whether calls run as they are made; `at` is the time of one that belongs to a session. */
const isOpen = (w: Instance, at: number | false) => {
  if (w.isKnown && at && !w.waiting[0] && !isAway(w) && !isInSession(w, at)) {
    // The session is over. Tabs agree on the next one in the transaction that reads it.
    w.isKnown = false
    look(w)
  }
  return w.isKnown
}

/**
 * Makes a call. `make` checks and copies what was given, and returns what runs when the visitor is known; what that
 * returns is sent, for a call of a kind. Time, page and id are those of the call, and so is what is refused.
 */
const call = (
  w: Instance,
  kind: Kind | undefined,
  make: () => (id: string, at: number) => Omit<Draft, 'kind'> | void,
  options?: TrackOptions,
): Tracked => {
  const [tracked, settle] = createTracked()
  const at = w.browser.now()
  const drop = (reason: DropReason, errorCode?: string) => {
    if (kind) tell(w, [kind, [{ id: tracked.id, settle }]], { status: 'dropped', reason, errorCode })
  }
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
    if (w.state === 'shut') throw ['shut-down'] satisfies Refusal
    const finish = make()
    const timestamp = readTime(w, at, options?.timestamp)
    const id = (tracked.id = options?.insertId ?? newId())
    const run = () =>
      attempt(() => {
        const own = finish(id, at)
        if (!kind) return
        const draft = filter(w, { kind, ...own! })
        const event = draft.event ?? own!.event
        const { environment } = w.config
        const body = toText({
          environment,
          ...toFields[kind](readIds(w), { ...own, ...draft, event: event! }, timestamp),
        })
        put(w, kind, { id, body, settle })
        wake(w)
      })
    if (refuses(w)) drop('no-consent')
    else if (isOpen(w, kind === 'track' && at)) run()
    else if (w.waiting.push({ run, drop }) > mostWaiting) w.waiting.shift()!.drop('too-many')
  })
  return tracked
}

export const track = (w: Instance, event: string, properties?: object, options?: TrackOptions) =>
  call(
    w,
    'track',
    () => {
      if (typeof event !== 'string' || !event) refuse('invalid-event-name', event)
      if (isTooLong(event)) refuse('event-name-too-long', event)
      const own = copy(w, properties, 'property')
      const page = w.browser.page()

      return (id, at) => {
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
        return { event, properties: all }
      }
    },
    options,
  )

/** Traits of a user; of the one of the last `identify` without an id. */
const describe = (w: Instance, user: string, given?: Properties) => {
  const traits = copy(w, given, 'trait')

  return () => {
    if (user) act(w, 'login', user)
    const { userId } = readIds(w)
    if (!userId) refuse('not-identified', traits)
    return { userId, traits }
  }
}

export const identify = (w: Instance, userId: string, traits?: Properties, options?: TrackOptions) =>
  call(w, 'identify', () => describe(w, readUser(userId), traits), options)

export const updateTraits = (w: Instance, traits: Properties, options?: TrackOptions) =>
  call(w, 'identify', () => describe(w, '', traits), options)

export const alias = (w: Instance, newUserId: string) =>
  call(w, 'alias', () => {
    const userId = readUser(newUserId)
    return () => ({ userId })
  })

/** A call that changes the instance alone; `read` copies what it is given. */
export const change = <Own>(w: Instance, read: () => Own, run: (own: Own) => void) =>
  void call(w, undefined, () => {
    const own = read()
    return () => run(own)
  })
