import { newId } from '../browser/newId'
import type { Browser } from '../browser/browser'
import type { Complain } from '../signals'
import { brief } from '../toJson'
import type {
  BeforeSend,
  Config,
  Draft,
  DropReason,
  Ids,
  Kind,
  Outcome,
  Properties,
  Signals,
  TrackOptions,
  Tracked,
} from '../types'
import { wire } from '../wire'
import { createTracked } from './createTracked'
import { fitProperties, isTooLong } from './fitProperties'
import { isSampled } from './isSampled'
import { readUserId } from '../readUserId'
import { toIso } from './toIso'

/** What a call needs of the started instance. */
export interface Target {
  config: Config
  ids(): Ids
  /** The session that an event of now belongs to. */
  sessionId(): string
  /** Registered properties. */
  registered(): Properties
  cleanUrl(href: string): string
  login(userId: string): void
  put(kind: Kind, payload: { id: string; body: string; settle(outcome: Outcome): void }): void
}

/** A call that waits for the ids: what to run then, or what to tell it when it is refused. */
export type EarlyCall = [run: (target: Target) => void, drop: (reason: DropReason) => void]

/** Ends a call, by being thrown and caught here: what is wrong has a code and is said, the rest is only counted. */
type Refusal = [reason: DropReason, errorCode?: string, what?: unknown]

/** `what` is the name or the value that is wrong. */
function refuse(errorCode: string, what: unknown): never {
  throw ['invalid', errorCode, what] satisfies Refusal
}

const checkUser = (given: unknown): string => {
  const userId = readUserId(given)
  if (!userId) refuse('invalid-user-id', given)
  return userId
}

/** Makes payloads of calls. Time, page and id are those of the call, and so is what is refused. */
export function createCapture(
  browser: Browser,
  complain: Complain,
  tally: { drop(signal: Signals['drop']): void },
  /** Those who may change or drop a call, in their order. */
  filters: () => BeforeSend[],
  /** Runs a call when the ids are known: now, as a rule. */
  whenReady: (...call: EarlyCall) => void,
  isReady: () => boolean | undefined,
) {
  /** Runs a call: `make` checks it now, and returns what makes the payload when the ids are known. */
  const call =
    <A extends unknown[]>(kind: Kind, make: (...args: A) => (target: Target, id: string) => string) =>
    (...args: A): Tracked => {
      const [tracked, settle] = createTracked()
      const drop = (reason: DropReason, errorCode?: string) => {
        const outcome = { status: 'dropped' as const, reason, errorCode }
        tally.drop({ kind, id: tracked.id, ...outcome })
        settle(outcome)
      }
      const fail = (thrown: unknown) => {
        // Else it is an error of a getter or a proxy of the caller's.
        const refusal = Array.isArray(thrown) ? thrown : ['invalid', 'unreadable', String(thrown)]
        const [reason, errorCode, what] = refusal as Refusal
        if (errorCode) complain(errorCode, `${kind} refused: ${brief(what)}`)
        drop(reason, errorCode)
      }
      try {
        const finish = make(...args)
        const id = (tracked.id = (args[2] as TrackOptions | undefined)?.insertId ?? newId())
        whenReady((target) => {
          try {
            target.put(kind, { id, body: finish(target, id), settle })
          } catch (thrown) {
            fail(thrown)
          }
        }, drop)
      } catch (thrown) {
        fail(thrown)
      }
      return tracked
    }

  const time = (given: TrackOptions['timestamp']): string => {
    if (given !== undefined) {
      try {
        // Of null it would be 1970.
        const iso = new Date(given ?? NaN).toISOString()
        // Beyond the years of four digits it is longer, and few can read it.
        if (iso.length < 25) return iso
      } catch {}
      complain('invalid-timestamp', brief(given))
    }
    return toIso(browser.now())
  }

  /** Copies what is given, or refuses it for a name that is too long. What waits must not change meanwhile. */
  const copy = (given: unknown, noun: 'property' | 'trait') =>
    fitProperties(given, noun, !isReady(), complain, refuse)

  /** What `beforeSend` and the plugins make of a call. */
  const filter = (draft: Draft): Draft => {
    for (const change of filters()) {
      let next: Draft | null = draft
      try {
        next = change(draft)
      } catch (error) {
        complain('before-send-failed', String(error))
      }
      if (!next) throw ['before-send'] satisfies Refusal
      draft = next
    }
    return draft
  }

  /** Traits of a user; of the one of the last `identify` without an id. */
  const describe = (user: string, traits?: Properties, options?: TrackOptions) => {
    const own = copy(traits, 'trait')
    const timestamp = time(options?.timestamp)

    return (target: Target) => {
      if (user) target.login(user)
      const now = target.ids()
      if (!now.userId) refuse('not-identified', own)
      const draft = filter({ kind: 'identify', userId: now.userId, traits: own })
      return wire.identify(target.config.environment, timestamp, now, draft.traits ?? {})
    }
  }

  return {
    track: call('track', (event: string, properties?: Properties, options?: TrackOptions) => {
      if (typeof event !== 'string' || !event) refuse('invalid-event-name', event)
      if (isTooLong(event)) refuse('event-name-too-long', event)
      const own = copy(properties, 'property')
      const timestamp = time(options?.timestamp)
      const page = browser.page()

      return (target, id) => {
        const { environment, insertId, release, sampleRate } = target.config
        const session = target.sessionId()
        const now = target.ids()
        if (!isSampled(now.deviceId, sampleRate)) throw ['sampled-out'] satisfies Refusal
        const all: Properties = {
          $lib: 'waymark',
          $lib_version: __VERSION__,
          $release: release || undefined,
          $url: target.cleanUrl(page.url),
          $referer: target.cleanUrl(page.referrer) || undefined,
          $viewport: page.viewport,
          ...target.registered(),
          ...own,
        }
        if (insertId) all[insertId] ??= id
        const draft = filter({ kind: 'track', event, properties: all })
        return wire.track(environment, draft.event ?? event, timestamp, now, session, draft.properties ?? {})
      }
    }),

    identify: call('identify', (userId: string, traits?: Properties, options?: TrackOptions) =>
      describe(checkUser(userId), traits, options),
    ),

    updateTraits: call('identify', (traits: Properties, options?: TrackOptions) =>
      describe('', traits, options),
    ),

    alias: call('alias', (newUserId: string) => {
      const userId = checkUser(newUserId)
      return (target) => {
        filter({ kind: 'alias', userId })
        return wire.alias(target.config.environment, target.ids().distinctId, userId)
      }
    }),
  }
}
