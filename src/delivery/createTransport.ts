import type { Browser, Send } from '../browser/browser'
import type { Config, Kind } from '../types'
import { readAnswer } from '../wire'
import { readOutcome, readRetryAfter, type Outcome } from './readOutcome'

/** Keepalive requests and beacons of a page share 64 KiB of bodies in flight (Fetch, "HTTP-network-or-cache fetch"). */
export const keepaliveBytes = 65_536

export interface Transport {
  /** Sends one batch and reads the answer. Never rejects. */
  send(kind: Kind, body: string, bytes: number): Promise<Outcome>
  /** Makes ready to hand one batch over as the page goes. */
  prepareHandOff(kind: Kind, body: string): Send
}

export function createTransport(browser: Browser, apiKey: string, config: Config): Transport {
  const { auth, beacon, timeoutMs } = config.transport
  const endpoint = config.endpoint.replace(/\/+$/, '')
  // One constant URL for each kind, so that the preflight is cached.
  const bare = (kind: Kind) => `${endpoint}/${kind}`
  const withKey = (kind: Kind) => `${bare(kind)}?apiKey=${encodeURIComponent(apiKey)}`
  // A JSON beacon carries credentials: against `Access-Control-Allow-Origin: *` it returns true and never arrives.
  // So it is used only where it is known to be welcome.
  // A page of an opaque origin loses one beacon in ten at navigation in Chromium, and no keepalive request.
  const own = browser.originOf('')
  let beaconArrives = beacon === true || browser.originOf(endpoint) === own

  const request = (
    kind: Kind,
    body: string,
    keepalive: boolean,
    signal?: AbortSignal,
  ): [string, RequestInit] => [
    auth === 'query' ? withKey(kind) : bare(kind),
    {
      method: 'POST',
      body,
      keepalive,
      credentials: 'omit',
      headers: {
        'Content-Type': 'application/json',
        ...(auth === 'header' && { 'X-API-Key': apiKey }),
        ...(auth === 'bearer' && { Authorization: `Bearer ${apiKey}` }),
      },
      ...(signal && { signal }),
    },
  ]
  const custom = config.transport.fetch

  return {
    async send(kind, body, bytes) {
      const abort = new AbortController()
      const stop = browser.after(timeoutMs, () => abort.abort())
      try {
        const response = await (custom ?? browser.fetch)(
          ...request(kind, body, bytes <= config.batch.maxBytes, abort.signal),
        )
        // Read to the end, always: Chromium frees the keepalive quota only then.
        const answer = readAnswer(await response.text())
        const { headers } = response
        beaconArrives ||= own !== 'null' && headers.get('Access-Control-Allow-Credentials') === 'true'
        return readOutcome(response.status, answer, readRetryAfter(headers.get('Retry-After'), browser.now()))
      } catch {
        return { status: 'retry', isUnanswered: true }
      } finally {
        stop()
      }
    },

    prepareHandOff(kind, body) {
      if (beacon && auth === 'query' && beaconArrives) return browser.prepareBeacon(withKey(kind), body)
      const [url, init] = request(kind, body, true)
      if (!custom) return browser.prepareFetch(url, init)
      return (attempt) => {
        attempt.begun = true
        custom(url, init).catch(() => {})
        return true
      }
    },
  }
}
