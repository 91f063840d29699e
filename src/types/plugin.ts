import type { BeforeSend, Properties, Scope, Stop, TrackOptions, Tracked } from './calls'
import type { On } from './signals'

/** What a plugin sees: never the instance itself. */
export interface Host {
  track(event: string, properties?: Properties, options?: TrackOptions): Tracked
  page(properties?: Properties, options?: TrackOptions): Tracked
  register(properties: Properties, scope?: Scope): void
  registerOnce(properties: Properties, scope?: Scope): void
  on: On
  /** Strips a URL to what may leave the page. */
  cleanUrl(href: string): string
}

export interface Plugin {
  /** A second plugin of the same name is not started while the first one runs. */
  name: string
  /** Called once, when the instance starts. What it returns is called at `shutdown`. */
  start?(host: Host): Stop | void
  beforeSend?: BeforeSend
}
