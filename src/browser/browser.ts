import type { Stop } from '../types'
import type { Database } from './openDatabase'

/** What happens to a page. `hidden` comes from `visibilitychange`. */
export type PageEvent = 'pagehide' | 'pageshow' | 'hidden' | 'freeze' | 'resume' | 'online'

export interface Page {
  url: string
  referrer: string
  viewport: string
}

/**
 * Gives a request to the browser, which delivers it when the page is gone. Marks the attempt right before, with
 * nothing in between: Firefox can end an unload handler at any call or loop. False when the browser did not take it,
 * also where there is no `sendBeacon`.
 */
export type Send = (attempt: { begun: boolean }) => boolean | undefined

/** The one door to the platform: everything that waymark asks of a browser, so that a test can hand in its own. */
export interface Browser {
  /** False on a server or in a worker: nothing else is asked then but the time. */
  isPage: boolean
  now(): number
  random(): number
  /** Runs `fn` once; `Stop` cancels it. */
  after(ms: number, fn: () => void): Stop
  soon(fn: () => void): void
  on(handlers: Partial<Record<PageEvent, () => void>>): Stop
  online(): boolean
  hidden(): boolean
  page(): Page
  fetch(url: string, init: RequestInit): Promise<Response>
  /** Makes ready to hand a request over by `sendBeacon`, or by a keepalive `fetch`. */
  prepareBeacon(url: string, body: string): Send
  prepareFetch(url: string, init: RequestInit, by?: Browser['fetch']): Send
  /** The origin of a URL, relative ones included; undefined when it is none. The page's own for an empty one. */
  originOf(url: string): string | undefined
  openDatabase(name: string): Database
  /** Whether there is one, without making it. True when the browser does not say. */
  hasDatabase(name: string): Promise<boolean>
  /** Global Privacy Control, or Do Not Track. */
  refuses(by: 'gpc' | 'dnt'): boolean
  /** Notes that the visitor has refused, or no longer does, where a page that is leaving can still read it. */
  noteRefusal(name: string, isRefused: boolean): void
  isRefused(name: string): boolean | undefined
  /** The value of a first-party cookie, or an empty string. */
  readCookie(name: string): string
  /** Sets it for a year on this domain, or on the widest one that the browser allows; an empty value deletes it. */
  writeCookie(name: string, value: string, domain: true | string): void
  /** Hears other tabs and tells them; undefined where a page may not. */
  channel(
    name: string,
    hear: (message: never) => void,
  ): Pick<BroadcastChannel, 'postMessage' | 'close'> | undefined
  warn(text: string): void
}
