import { maybe } from '../../core/maybe'
import type { Stop } from '../../core/types'

/** A request that carries payloads of this library, or of another: who is told knows its own. */
export interface Carried {
  kind: string
  /** The `insert_id` of each payload; empty where it has none. */
  ids: string[]
}

interface Payload {
  properties?: { insert_id?: unknown }
}

/**
 * Tells of each request with a list of payloads when it begins, and when it has failed. The library itself tells only
 * what was accepted.
 */
export function watchRequests(begun: (carried: Carried) => () => void): Stop {
  const { fetch } = window
  const watched: typeof fetch = (input, init) => {
    const answer = fetch(input, init)
    const payloads =
      typeof init?.body === 'string' && maybe(() => JSON.parse(init.body as string) as Payload[])
    if (Array.isArray(payloads) && payloads[0]) {
      const kind = /\w+(?=$|\?)/.exec(String(input))?.[0] ?? ''
      const failed = begun({ kind, ids: payloads.map((one) => String(one?.properties?.insert_id ?? '')) })
      answer.then((response) => response.ok || failed(), failed)
    }
    return answer
  }
  // It keeps what the browser's own promises for requests that outlive a page, for whoever asks.
  watched.toString = () => String(fetch)
  window.fetch = watched
  return () => {
    // A wrapper that another script has put around it stays.
    if (window.fetch === watched) window.fetch = fetch
  }
}
