import { kindOf } from '../core/json'
import { maybe } from '../core/maybe'
import type { Plugin } from '../core/types'
import { createRequestIds } from './requestIds'

export interface RequestHeaderOptions {
  /** @defaultValue `'X-Waymark'` */
  name?: string
}

/** All options as `fetch` would read them: also inherited ones, and what a class has getters for. */
const readOptions = (given?: RequestInit): RequestInit => {
  const options: Record<string, unknown> = {}
  for (let from: unknown = given; from && from !== Object.prototype; from = Object.getPrototypeOf(from))
    for (const key of Object.getOwnPropertyNames(from)) options[key] ??= given![key as keyof RequestInit]
  return options
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
      /** Makes a copy of the request with one header more; undefined where it is to stay as it is. */
      const withIds = (
        input: RequestInfo | URL,
        init?: RequestInit,
      ): Parameters<typeof fetch> | undefined => {
        const request =
          input instanceof Request || /Request]/.test(kindOf(input)) ? (input as Request) : undefined
        const text = isOwn(request?.url ?? String(input)) && told.read()
        if (!text || (init?.credentials ?? request?.credentials) === 'omit') return
        // Options beside a request make it forget what it says of its referrer.
        const options: RequestInit =
          request && !init
            ? { referrer: request.referrer, referrerPolicy: request.referrerPolicy }
            : readOptions(init)
        const headers = new Headers(options.headers ?? request?.headers)
        headers.set(name, text)
        return [input, { ...options, headers }]
      }
      const fetchWithIds: typeof fetch = (...given) => fetch(...(maybe(() => withIds(...given)) ?? given))
      // It keeps what the browser's own promises for requests that outlive a page, for whoever asks. A page may have frozen
      // what it inherits.
      Object.defineProperty(fetchWithIds, 'toString', { value: () => String(fetch) })
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
