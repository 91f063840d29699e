import { newId } from '../browser/newId'
import type { Browser } from '../browser/browser'
import type { Complain } from '../signals'
import { isObject, toJson } from '../toJson'
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
import { readUserId } from './readUserId'
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

/** Why a call goes no further: `[reason, code]`. */
type Refusal = [reason: DropReason, errorCode?: string]

const isRefusal = (made: object): made is Refusal => Array.isArray(made)

/** What a call has become: refused, or what makes the payload when the ids are known. */
type Made = Refusal | ((target: Target, id: string) => string | Refusal)

const brief = (value: unknown) => toJson([value]).slice(1, 60)

/** Makes payloads of calls. Time, page and id are those of the call, and so is what is refused. */
export function createCapture(
  browser: Browser,
  complain: Complain,
  tally: { drop(signal: Signals['drop']): void },
  /** Those who may change or drop a call, in their order. */
  filters: () => BeforeSend[],
  /** Runs a call when the ids are known: now, as a rule. */
  whenReady: (...call: EarlyCall) => void,
) {
  /** `what` is the name or the value that is wrong; the code says how. */
  const refuse = (kind: Kind, errorCode: string, what: unknown): Refusal => {
    complain(errorCode, `${kind} refused: ${brief(what)}`)
    return ['invalid', errorCode]
  }

  /** Runs a call: `make` checks it now, and returns what makes the payload when the ids are known. */
  const call =
    <A extends unknown[]>(kind: Kind, make: (...args: A) => Made) =>
    (...args: A): Tracked => {
      const options = args[2] as TrackOptions | undefined
      let made: Made
      try {
        made = make(...args)
      } catch (error) {
        // A getter or a proxy of the caller's.
        made = refuse(kind, 'unreadable', String(error))
      }
      const id = isRefusal(made) ? '' : (options?.insertId ?? newId())
      const [tracked, settle] = createTracked(id)
      const drop = (reason: DropReason, errorCode?: string) => {
        const outcome = { status: 'dropped' as const, reason, ...(errorCode && { errorCode }) }
        tally.drop({ kind, id, ...outcome })
        settle(outcome)
      }
      if (isRefusal(made)) drop(...made)
      else {
        const finish = made
        whenReady((target) => {
          const body = finish(target, id)
          if (typeof body === 'string') target.put(kind, { id, body, settle })
          else drop(...body)
        }, drop)
      }
      return tracked
    }

  const time = (given: TrackOptions['timestamp']): string => {
    try {
      if (given !== undefined) return new Date(given).toISOString()
    } catch {
      complain('invalid-timestamp', `sent with the time of the call instead of ${brief(given)}`)
    }
    return toIso(browser.now())
  }

  /** Copies what is given, or refuses it for a name that is too long. */
  const copy = (kind: Kind, given: unknown, noun: string): Properties | Refusal => {
    if (given !== undefined && !isObject(given))
      complain('invalid-properties', `${kind} sent without ${brief(given)}`)
    const own: Properties = {}
    const long = isObject(given) && fitProperties(own, given)
    return long ? refuse(kind, `${noun}-name-too-long`, long) : own
  }

  /** What `beforeSend` and the plugins make of a call; undefined when one of them drops it. */
  const filter = (draft: Draft): Draft | undefined => {
    let now: Draft | null = draft
    for (const change of filters()) {
      try {
        now = change(now)
      } catch (error) {
        complain('before-send-failed', String(error))
      }
      if (!now) return undefined
    }
    return now
  }

  /** Traits of a user; of the one of the last `identify` without an id. */
  const describe = (user: string, traits?: Properties, options?: TrackOptions): Made => {
    const own = copy('identify', traits, 'trait')
    if (isRefusal(own)) return own
    const timestamp = time(options?.timestamp)

    return ({ config, ids, login }) => {
      if (user) login(user)
      const now = ids()
      if (!now.userId) return refuse('identify', 'not-identified', own)
      const draft = filter({ kind: 'identify', userId: now.userId, traits: own })
      return draft ? wire.identify(config.environment, timestamp, now, draft.traits ?? {}) : ['before-send']
    }
  }

  return {
    track: call('track', (event: string, properties?: Properties, options?: TrackOptions) => {
      if (typeof event !== 'string' || !event) return refuse('track', 'invalid-event-name', event)
      if (isTooLong(event)) return refuse('track', 'event-name-too-long', event)
      const own = copy('track', properties, 'property')
      if (isRefusal(own)) return own
      const timestamp = time(options?.timestamp)
      const page = browser.page()

      return ({ config, ids, sessionId, registered, cleanUrl }, id) => {
        const { environment, insertId, release, sampleRate } = config
        const session = sessionId()
        const now = ids()
        if (!isSampled(now.deviceId, sampleRate)) return ['sampled-out']
        const all: Properties = {
          $lib: 'waymark',
          $lib_version: __VERSION__,
          $release: release || undefined,
          $url: cleanUrl(page.url),
          $referer: cleanUrl(page.referrer) || undefined,
          $viewport: page.viewport,
          ...registered(),
          ...own,
        }
        if (insertId) all[insertId] ??= id
        const draft = filter({ kind: 'track', event, properties: all })
        if (!draft) return ['before-send']
        return wire.track(environment, draft.event ?? event, timestamp, now, session, draft.properties ?? {})
      }
    }),

    identify: call('identify', (userId: string, traits?: Properties, options?: TrackOptions) => {
      const user = readUserId(userId)
      return user ? describe(user, traits, options) : refuse('identify', 'invalid-user-id', userId)
    }),

    updateTraits: call('identify', (traits: Properties, options?: TrackOptions) =>
      describe('', traits, options),
    ),

    alias: call('alias', (newUserId: string) => {
      const user = readUserId(newUserId)
      if (!user) return refuse('alias', 'invalid-user-id', newUserId)
      return ({ config, ids }) =>
        filter({ kind: 'alias', userId: user })
          ? wire.alias(config.environment, ids().distinctId, user)
          : ['before-send']
    }),
  }
}
