import type { Browser, Send } from '../browser/browser'
import type { Config, Kind } from '../types'
import { readAnswer } from '../wire'
import { readOutcome, readRetryAfter, type Outcome } from './readOutcome'

export interface Transport {
  /** Sends one batch and reads the answer. Never rejects. */
  send(kind: Kind, body: string, keepalive: boolean): Promise<Outcome>
  /** Makes ready to hand one batch over as the page goes. */
  prepareHandOff(kind: Kind, body: string): Send
}

export function createTransport(browser: Browser, apiKey: string, config: Config): Transport {
  const { auth, beacon, timeoutMs, fetch: custom } = config.transport
  const endpoint = config.endpoint.replace(/\/+$/, '')
  const query = auth === 'query' ? `?apiKey=${encodeURIComponent(apiKey)}` : ''
  // One constant URL for each kind, so that the preflight is cached.
  const urlOf = (kind: Kind) => `${endpoint}/${kind}${query}`
  const headers: Record<string, string> = { 'Content-Type': 'application/json' }
  if (auth === 'header') headers['X-API-Key'] = apiKey
  if (auth === 'bearer') headers['Authorization'] = `Bearer ${apiKey}`

  // A JSON beacon carries credentials: against `Access-Control-Allow-Origin: *` it returns true and never arrives.
  // So it is used only where it is known to be welcome.
  // A page of an opaque origin loses one beacon in ten at navigation in Chromium, and no keepalive request.
  const own = browser.originOf('')
  let beaconArrives = beacon === true || browser.originOf(endpoint) === own

  const post = (body: string, keepalive: boolean, signal: AbortSignal | null = null): RequestInit => ({
    method: 'POST',
    body,
    keepalive,
    credentials: 'omit',
    headers,
    signal,
  })

  return {
    async send(kind, body, keepalive) {
      const abort = new AbortController()
      const stop = browser.after(timeoutMs, () => abort.abort())
      try {
        const response = await (custom ?? browser.fetch)(urlOf(kind), post(body, keepalive, abort.signal))
        // Read to the end, always: Chromium frees the keepalive quota only then.
        const answer = readAnswer(await response.text())
        const header = (name: string) => response.headers.get(name)
        beaconArrives ||= own !== 'null' && header('Access-Control-Allow-Credentials') === 'true'
        return readOutcome(response.status, answer, readRetryAfter(header('Retry-After'), browser.now()))
      } catch {
        return { status: 'retry', isUnanswered: true }
      } finally {
        stop()
      }
    },

    prepareHandOff: (kind, body) =>
      // A `fetch` of the page's own is passed over only by option.
      query && beaconArrives && (custom ? beacon === true : beacon)
        ? browser.prepareBeacon(urlOf(kind), body)
        : browser.prepareFetch(urlOf(kind), post(body, true), custom),
  }
}
