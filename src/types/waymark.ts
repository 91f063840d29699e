import type { Consent, Ids, Properties, Scope, Stop, TrackOptions, Tracked } from './calls'
import type { InitConfig } from './config'
import type { Plugin } from './plugin'
import type { Flushed, On, Stats } from './signals'

/** Event names and their properties, for `createWaymark<Events>()`. */
export type EventMap = Record<string, object>

/** No properties at all, or none that must be given: then the argument may be left out. */
type Given<P> = string extends P
  ? // `{}`, which takes everything otherwise.
    [properties?: Record<string, never>, options?: TrackOptions]
  : object extends P
    ? [properties?: P, options?: TrackOptions]
    : [properties: P, options?: TrackOptions]

export interface Waymark<Events extends object = EventMap> {
  /**
   * Starts the instance. A second call with the same key and environment changes nothing; with another key or
   * environment it is refused (`already-initialised`).
   */
  init(apiKey: string, config?: InitConfig): Waymark<Events>
  /** Records an event (contract: `POST /track`). Calls before `init` are kept and sent after it. */
  track<Name extends keyof Events & string>(event: Name, ...given: Given<Events[Name]>): Tracked
  /** Records the event `$pageview`. */
  page(properties?: Properties, options?: TrackOptions): Tracked
  /** Says who the visitor is, and links what was tracked before (contract: `POST /identify`). */
  identify(userId: string, traits?: Properties, options?: TrackOptions): Tracked
  /** Adds traits to the user of the last `identify`. Refused (`not-identified`) when there is none. */
  updateTraits(traits: Properties, options?: TrackOptions): Tracked
  /** Merges the current distinct id into another user (contract: `POST /alias`). */
  alias(newUserId: string): Tracked
  /** Adds properties to every event from now on. @defaultValue `scope` `'persistent'` */
  register(properties: Properties, scope?: Scope): void
  /** The same, for those names that are not registered yet. */
  registerOnce(properties: Properties, scope?: Scope): void
  /** Takes registered properties away, whatever their scope. */
  unregister(...names: string[]): void
  /**
   * Forgets the user: a new anonymous id and session, no registered properties; what is queued keeps its ids.
   * `deviceId: true` renews that one too.
   */
  reset(options?: { deviceId?: boolean }): void
  /**
   * `granted`: everything is kept and sent. `pending` (also `dismissed`): calls wait in memory, nothing is in any
   * storage. `denied`: nothing is recorded, and all that was stored is wiped but the refusal. Remembered.
   */
  setConsent(state: Consent | 'dismissed'): void
  getConsent(): Consent
  /** `setConsent('granted')`. */
  optIn(): void
  /** `setConsent('denied')`. */
  optOut(): void
  /** Sends what waits. Never rejects. @defaultValue `timeoutMs` 30000 */
  flush(options?: { timeoutMs?: number }): Promise<Flushed>
  /** Resolves when the ids are known: when consent was granted, that is. */
  ready(): Promise<void>
  /**
   * Sends what waits, then stops every timer, listener and plugin. What could not be sent stays on disk, or is dropped
   * where there is none.
   */
  shutdown(): Promise<Flushed>
  /** Subscribes to a signal. */
  on: On
  /** Adds a plugin, unless one of its name is there; the returned function removes it. */
  use(plugin: Plugin): Stop
  /** Changes `release`, `insertId`, `sampleRate`, `beforeSend` or `debug` while it runs. */
  configure(patch: InitConfig): void
  stats(): Stats
  readonly ids: Ids
}
