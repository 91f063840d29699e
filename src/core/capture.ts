import { holdCalls, isDenied, readVisitor } from './consent'
import { isTooLong, isUnknown, toFields } from './contract'
import { wake } from './delivery'
import { newId, readUserId } from './ids'
import { isAnonymous, isAway, runsCalls, type Instance } from './instance'
import type { Call, Refusal } from './records'
import type { Act } from './settings'
import { isObject, toIso, toJson, toText } from './json'
import { put } from './queue'
import { complain, tell } from './signals'
import { Receipt } from './receipt'
import type { Draft, DropReason, Kind, Properties, TrackOptions, Tracked } from './types'
import { isInSession } from './session'
import { act, readIds, touch } from './visitor'

/** Calls kept before the visitor is known; the oldest go first. */
const mostWaiting = 1000

/** `what` is the name or the value that is wrong. */
export const refuse: (errorCode: string, what: unknown) => never = (errorCode, what) => {
  throw ['invalid', errorCode, what] satisfies Refusal
}

const readUser = (given: unknown): string => readUserId(given) ?? refuse('invalid-user-id', given)

/** Whether the service takes a property of that name; says so if it does not. */
const isTaken = (w: Instance, name: string) =>
  !isUnknown(name) || complain(w, 'unknown-built-in-property', name)

/**
 * Copies `given`, with every value made fit for JSON: nothing in it is the caller's any more. What is named wrongly is
 * said, and left out; a name that is too long may refuse the whole.
 */
export const copy = (w: Instance, given: unknown, noun?: 'property' | 'trait'): Properties => {
  // Without a prototype: a property may be called `__proto__`, and a page may have frozen what it would inherit.
  const own: Properties = { __proto__: null }
  if (!isObject(given)) {
    if (given !== undefined) complain(w, 'invalid-properties', given)
    return own
  }
  for (const name of Object.keys(given)) {
    if (isTooLong(name)) {
      if (noun) refuse(noun + '-name-too-long', name)
      complain(w, 'property-name-too-long', name)
    } else if (noun === 'trait' || isTaken(w, name))
      try {
        let value = given[name]
        const type = typeof value
        if (type !== 'string' && type !== 'number' && type !== 'boolean') {
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

const readTime = (w: Instance, at: number, given: TrackOptions['timestamp'] = at): string | undefined => {
  // `new Date(null)` is 1970, so null counts as no time.
  const text = toIso(+new Date(given ?? NaN))
  if (!text) complain(w, 'invalid-timestamp', given)
  return text ?? toIso(at)
}

/** What would be the id of many events makes them copies of each other. */
const readInsertId = (w: Instance, given: unknown): string => {
  const id = readUserId(given ?? newId())
  if (!id) complain(w, 'invalid-insert-id', given)
  return id ?? newId()
}

/** What a `beforeSend` may return instead of a draft (`DropReason`). */
const reasons =
  /^(invalid|quarantined|too-(many|big|old)|no-(space|consent)|before-send|sampled-out|shut-down)$/

/** What `beforeSend` and the plugins make of a call. */
const filter = (w: Instance, draft: Draft): Draft => {
  for (const [{ beforeSend }] of [...w.used, [w.config]]) {
    if (!beforeSend) continue
    let next: unknown = draft
    try {
      next = beforeSend(draft)
    } catch (error) {
      complain(w, 'before-send-failed', error)
    }
    if (next === null || next === false) next = 'before-send'
    if (typeof next === 'string' && reasons.test(next)) throw [next as DropReason] satisfies Refusal
    // A promise has removed nothing yet.
    const isAsync = (next as PromiseLike<unknown> | undefined)?.then
    if (!isObject(next) || isAsync)
      throw ['before-send', 'invalid-before-send', isAsync ? 'is async' : next] satisfies Refusal
    // What it leaves out stays.
    const { event, userId } = draft
    draft = { ...draft, ...next, event: next['event'] ?? event, userId } as Draft
    // It may have added names that the service does not know.
    if (draft.properties) {
      const properties = (draft.properties = { ...draft.properties })
      for (const name of Object.keys(properties)) if (!isTaken(w, name)) delete properties[name]
    }
  }
  return draft
}

/** Whether calls run as they are made; `at` is the time of one that belongs to a session. */
const isOpen = (w: Instance, at: number | false) => {
  if (runsCalls(w) && at && !isAnonymous(w) && !w.heldCalls[0] && !isAway(w) && !isInSession(w, at)) {
    // The session is over. Tabs agree on the next one in the transaction that reads it.
    holdCalls(w)
    readVisitor(w)
  }
  return runsCalls(w)
}

/**
 * Makes a call. `make` checks and copies what was given, and returns what runs when the visitor is known; what that
 * returns is sent. Time, page and id are those of the call, and so is what is refused.
 */
export const call = (
  w: Instance,
  kind: Kind | undefined,
  make: () => (id: string, at: number) => Draft | void,
  options?: TrackOptions,
): Tracked => {
  const receipt = new Receipt()
  const at = w.browser.now()
  /** Ends the call by what was thrown: a refusal, or an error of a getter or a proxy of the caller's. */
  const end = (thrown: unknown) => {
    const [reason, errorCode, what] = (
      Array.isArray(thrown) ? thrown : ['invalid', 'unreadable', thrown]
    ) as Refusal
    if (errorCode) complain(w, errorCode, what)
    if (kind) tell(w, [kind, [{ id: receipt.id, receipt }]], { status: 'dropped', reason, errorCode })
  }
  try {
    if (w.pageState === 'shut') throw ['shut-down'] satisfies Refusal
    const finish = make()
    const timestamp = readTime(w, at, options?.timestamp)
    const id = (receipt.id = readInsertId(w, options?.insertId))
    const run = () => {
      try {
        const hidden = isAnonymous(w)
        if (hidden && (kind !== 'track' || w.isCounting === false)) throw ['no-consent'] satisfies Refusal
        const own = finish(id, at)
        if (!own) return
        const as = hidden ? 'anonymous' : own.kind
        const fields = toFields(as, readIds(w), filter(w, own), timestamp)
        fields.environment = w.config.environment
        put(w, as, { id, body: toText(fields), receipt, call: hidden ? made : undefined })
        wake(w)
      } catch (thrown) {
        end(thrown)
      }
    }
    const made: Call = { run, end, receipt: kind && receipt }
    if (isDenied(w)) end(['no-consent'])
    // What a listener calls while others still wait comes after them.
    else if (isOpen(w, kind === 'track' && at) && !w.heldCalls[0]) run()
    else if (w.heldCalls.push(made) > mostWaiting) w.heldCalls.shift()!.end(['too-many'])
  } catch (thrown) {
    end(thrown)
  }
  return receipt
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
        const { insertId } = w.config
        if (!isAnonymous(w)) touch(w, at)
        const all: Properties = {
          $lib: 'waymark',
          $lib_version: __VERSION__,
          $release: w.config.release || undefined,
          $url: w.filterUrl(page.url),
          $referer: w.filterUrl(page.referrer) || undefined,
          $viewport: page.viewport,
          browser_time_zone: w.browser.timeZone(),
          ...w.settings.persistent,
          ...own,
        }
        if (insertId && isTaken(w, insertId)) all[insertId] ??= id
        return { kind: 'track', event, properties: all }
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
    return { kind: 'identify' as const, userId, traits }
  }
}

export const identify = (w: Instance, userId: string, traits?: Properties, options?: TrackOptions) =>
  call(w, 'identify', () => describe(w, readUser(userId), traits), options)

export const updateTraits = (w: Instance, traits: Properties, options?: TrackOptions) =>
  call(w, 'identify', () => describe(w, '', traits), options)

export const alias = (w: Instance, newUserId: string) =>
  call(w, 'alias', () => {
    const userId = readUser(newUserId)
    return () => ({ kind: 'alias' as const, userId })
  })

/** A call that changes the visitor alone; `read` copies what it is given. */
export const change = (w: Instance, name: Act[0], read: () => unknown) =>
  void call(w, undefined, () => {
    const own = read()
    return () => act(w, name, own)
  })
