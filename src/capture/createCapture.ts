import { nanoid } from 'nanoid'
import type { Browser, Page } from '../browser/browser'
import type { Complain } from '../signals'
import type {
  Config,
  DropReason,
  Ids,
  Kind,
  Outcome,
  Properties,
  Signals,
  TrackOptions,
  Tracked,
} from '../types'
import { isObject, toJson } from '../toJson'
import { wire } from '../wire'
import { createTracked } from './createTracked'
import { readUserId } from './readUserId'
import { fitProperties, isTooLong } from './fitProperties'

/** What a call needs of the started instance. */
export interface Target {
  config: Config
  ids(): Ids
  cleanUrl(href: string): string
  login(userId: string): void
  reset(renewDevice?: boolean): void
  put(kind: Kind, id: string, body: string, settle: (outcome: Outcome) => void): void
}

interface Parts {
  browser: Browser
  complain: Complain
  tally: { drop(signal: Signals['drop']): void }
  /** Runs `fn` when the ids are known: now, as a rule. False when nothing is taken any more. */
  whenReady(fn: (target: Target) => void): boolean
}

const brief = (value: unknown) => toJson([value]).slice(1, 60)

/** Makes payloads of calls. Time, page and id are those of the call, and so is what is refused. */
export function createCapture({ browser, complain, tally, whenReady }: Parts) {
  const drop = (kind: Kind, reason: DropReason, errorCode?: string): Tracked => {
    const [tracked, settle] = createTracked('')
    const outcome = { status: 'dropped' as const, reason, ...(errorCode && { errorCode }) }
    tally.drop({ kind, id: '', ...outcome })
    settle(outcome)
    return tracked
  }

  /** `what` is the name or the value that is wrong; the code says how. */
  const refuse = (kind: Kind, errorCode: string, what: unknown): Tracked => {
    complain(errorCode, `${kind} refused: ${brief(what)}`)
    return drop(kind, 'invalid', errorCode)
  }

  const take = (kind: Kind, make: (target: Target, id: string) => string, id = nanoid()): Tracked => {
    const [tracked, settle] = createTracked(id)
    return whenReady((target) => target.put(kind, id, make(target, id), settle))
      ? tracked
      : drop(kind, 'shut-down')
  }

  const time = (options?: TrackOptions): string => {
    const given = options?.timestamp
    const date = new Date(given ?? browser.now())
    if (!isNaN(+date)) return date.toISOString()
    complain('invalid-timestamp', `sent with the time of the call instead of ${brief(given)}`)
    return new Date(browser.now()).toISOString()
  }

  const fit = (kind: Kind, given: unknown, target: Properties) => {
    if (isObject(given)) return fitProperties(target, given)
    if (given !== undefined) complain('invalid-properties', `${kind} sent without ${brief(given)}`)
    return undefined
  }

  /** A getter or a proxy of the caller's may throw anywhere. */
  const safely =
    <A extends unknown[]>(kind: Kind, make: (...args: A) => Tracked) =>
    (...args: A): Tracked => {
      try {
        return make(...args)
      } catch (error) {
        return refuse(kind, 'unreadable', String(error))
      }
    }

  return {
    track: safely('track', (event: string, properties?: Properties, options?: TrackOptions) => {
      if (typeof event !== 'string' || !event) return refuse('track', 'invalid-event-name', event)
      if (isTooLong(event)) return refuse('track', 'event-name-too-long', event)
      const own: Properties = {}
      const long = fit('track', properties, own)
      if (long) return refuse('track', 'property-name-too-long', long)
      const timestamp = time(options)
      const page: Page = { ...browser.page() }

      return take(
        'track',
        ({ config, ids, cleanUrl }, id) => {
          const all: Properties = {
            $lib: 'waymark',
            $lib_version: __VERSION__,
            $release: config.release || undefined,
            $url: cleanUrl(page.url),
            $referer: cleanUrl(page.referrer) || undefined,
            $viewport: page.viewport,
            ...own,
          }
          if (config.insertId) all[config.insertId] ??= id
          return wire.track(config.environment, event, timestamp, ids(), all)
        },
        options?.insertId,
      )
    }),

    identify: safely('identify', (userId: string, traits?: Properties, options?: TrackOptions) => {
      const user = readUserId(userId)
      if (!user) return refuse('identify', 'invalid-user-id', userId)
      const own: Properties = {}
      const long = fit('identify', traits, own)
      if (long) return refuse('identify', 'trait-name-too-long', long)
      const timestamp = time(options)

      return take('identify', ({ config, ids, login }) => {
        login(user)
        return wire.identify(config.environment, timestamp, ids(), own)
      })
    }),

    alias: safely('alias', (newUserId: string) => {
      const user = readUserId(newUserId)
      if (!user) return refuse('alias', 'invalid-user-id', newUserId)
      return take('alias', ({ config, ids }) => wire.alias(config.environment, ids().distinctId, user))
    }),
  }
}
