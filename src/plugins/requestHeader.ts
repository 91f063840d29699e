import { maybe } from '../core/maybe'
import type { Plugin } from '../core/types'
import { createRequestIds } from './requestIds'

export interface RequestHeaderOptions {
  /** @defaultValue `'X-Waymark'` */
  name?: string
}

/**
 * Adds the ids of the visitor to requests that scripts of the page make to its own origin, for `forRequest` of
 * `waymark/node`. Requests that leave out credentials are left as they are: those of waymark, too.
 *
 * @example
 * waymark.init('pk_1', { endpoint: '/w', plugins: [requestHeader()] })
 */
export function requestHeader({ name = 'X-Waymark' }: RequestHeaderOptions = {}): Plugin {
  let touch = () => {}
  return {
    name: 'request-header',
    beforeSend(draft) {
      if (draft.kind === 'track') touch()
      return draft
    },
    start({ ids }) {
      const told = createRequestIds(ids)
      touch = told.touch
      const isOwn = (url: string) => maybe(() => new URL(url, document.baseURI).origin) === location.origin

      const { fetch } = window
      const fetchWithIds: typeof fetch = (input, init) => {
        const request = input instanceof Request ? input : undefined
        const text = isOwn(request?.url ?? String(input)) && told.read()
        if (!text || (init ?? request)?.credentials === 'omit') return fetch(input, init)
        const headers = new Headers(init?.headers ?? request?.headers)
        headers.set(name, text)
        return fetch(input, { ...init, headers })
      }
      // It keeps what the browser's own promises for requests that outlive a page, for whoever asks.
      fetchWithIds.toString = () => String(fetch)
      window.fetch = fetchWithIds

      const { prototype } = XMLHttpRequest
      const { open } = prototype
      const openWithIds = function (this: XMLHttpRequest, ...given: [string, string | URL]) {
        Reflect.apply(open, this, given)
        const text = isOwn(String(given[1])) && told.read()
        if (text) this.setRequestHeader(name, text)
      } as typeof open
      prototype.open = openWithIds

      return () => {
        // Wrappers that another script has put around them stay.
        if (window.fetch === fetchWithIds) window.fetch = fetch
        if (prototype.open === openWithIds) prototype.open = open
        told.read = () => ''
      }
    },
  }
}
