import type { PageView } from '../core/browser'
import { readUserId } from '../core/ids'
import type { Instance } from '../core/instance'
import type { Settings } from '../core/settings'
import { maybe } from '../core/maybe'
import { complain } from '../core/signals'
import type { EventMap, Ids, Plugin, Properties, Waymark } from '../core/types'
import { readIds } from '../core/visitor'
import { bindAll, methods } from '../core/waymark'
import { readCrawler } from './readCrawler'
import { readAddress, readHeader, readRequest, type RequestLike } from './readRequest'

/** Ids of the browser that are known on the server: read from a request, or kept beside an order. */
export type VisitorIds = Partial<Pick<Ids, 'deviceId' | 'anonymousId' | 'sessionId'>>

/** The calls of the browser's library, for one visitor. What is registered is registered for this object alone. */
export type Visitor<Events extends object = EventMap> = Pick<
  Waymark<Events>,
  | 'track'
  | 'page'
  | 'identify'
  | 'updateTraits'
  | 'alias'
  | 'register'
  | 'registerOnce'
  | 'unregister'
  | 'ids'
>

export interface VisitorOptions {
  /** Who is signed in, as your server knows it: what a browser says of that is not read. @defaultValue nobody */
  userId?: string | undefined
  /** The name that `waymark/cookie` was given. @defaultValue `'waymark'` */
  cookie?: string
  /** The name that `waymark/request-header` was given. @defaultValue `'X-Waymark'` */
  header?: string
}

/** What is known of one visitor. */
interface Known extends VisitorIds {
  userId?: string | undefined
  page?: PageView
  properties?: Properties
}

/** Leaves out what the server does not know. A call without any id is refused: each would make a new person. */
const serverSide = (w: Instance): Plugin => ({
  name: 'server-side',
  beforeSend(draft) {
    const { anonymousId, userId } = w.settings.ids!
    if (!anonymousId && !userId) {
      complain(w, 'no-visitor', draft.event ?? draft.kind)
      return 'invalid'
    }
    const { properties } = draft
    if (!properties) return draft
    for (const name of ['$url', '$viewport']) if (properties[name] === '') delete properties[name]
    return { ...draft, properties: { ...properties, $lib: 'waymark/node' } }
  },
})

/** Makes the functions that make visitors. All use one queue: each call runs with the settings of its visitor. */
export const createVisitors = <Events extends object>(w: Instance, idleMs: number) => {
  w.used.push([serverSide(w)])

  const create = ({ userId, page, properties, deviceId = '', anonymousId = '', sessionId = '' }: Known) => {
    let settings: Settings = {
      ids: { deviceId, anonymousId, userId },
      // It lasts: the page alone decides when a session is over.
      session: { id: sessionId, startedAt: 0, lastAt: 0, of: anonymousId },
      persistent: properties,
    }
    /** Runs a call, which is done when it returns, as this visitor. */
    const asVisitor = <T>(run: () => T): T => {
      const { settings: others, browser } = w
      const { page: noPage } = browser
      w.settings = settings
      if (page) browser.page = () => page
      try {
        return run()
      } finally {
        settings = w.settings
        w.settings = others
        browser.page = noPage
      }
    }
    const bound = bindAll(() => w, methods) as unknown as Waymark<Events>
    const own =
      <Given extends unknown[], T>(fn: (...given: Given) => T) =>
      (...given: Given) =>
        asVisitor(() => fn(...given))
    const visitor = {
      track: own(bound.track as never),
      page: own(bound.page),
      identify: own((user: string, ...rest: [Properties?]) => {
        // Another user is somebody else, of whom no browser is known.
        const known = w.settings.ids?.userId
        if (known && (readUserId(user) ?? known) !== known)
          w.settings = {
            ...w.settings,
            ids: { deviceId: '', anonymousId: '' },
            session: { ...w.settings.session!, of: '' },
          }
        return bound.identify(user, ...rest)
      }),
      updateTraits: own(bound.updateTraits),
      alias: own(bound.alias),
      register: own(bound.register),
      registerOnce: own(bound.registerOnce),
      unregister: own(bound.unregister),
      get ids() {
        return asVisitor(() => readIds(w))
      },
    }
    return visitor as unknown as Visitor<Events>
  }

  return {
    forRequest: (
      request: RequestLike,
      { userId, cookie = 'waymark', header = 'x-waymark' }: VisitorOptions = {},
    ) => {
      const known = maybe(() => readRequest(request, { cookie, header, idleMs, now: w.browser.now() }))
      return create({ ...known, userId: readUserId(userId) })
    },
    noteCrawler(request: RequestLike) {
      const userAgent = maybe(() => readHeader(request, 'user-agent')) ?? ''
      const name = readCrawler(userAgent)
      if (!name) return false
      const page = { url: readAddress(request), referrer: '', viewport: '' }
      // The service knows more names, and more of each; whom it does not know is a bot all the same.
      const properties = { $user_agent: userAgent, $device_type: 'bot' }
      create({ anonymousId: `crawler ${name}`, page, properties }).page()
      return true
    },
    forUser(userId: string, ids: VisitorIds = {}) {
      const known = readUserId(userId)
      if (!known) complain(w, 'invalid-user-id', userId)
      return create({ ...ids, userId: known })
    },
  }
}
