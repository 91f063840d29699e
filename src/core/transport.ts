import { createAbort, type Send } from './browser'
import { headersOf, readAnswer, toBody, urlOf, type Answer } from './contract'
import type { Instance } from './instance'
import type { Payload } from './records'
import type { Kind } from './types'
import { sizeOf } from './queue'

/**
 * Keepalive requests and beacons of a page share 64 KiB of bodies in flight (Fetch, "HTTP-network-or-cache fetch").
 * Some are left free for other scripts of the page.
 */
export const handOffBytes = 60 * 1024

/** Whether a request may outlive its page: browsers reject a larger one, however often it is sent. */
export const canOutlive = (w: Instance, batch: Payload[]) =>
  sizeOf(batch) <= Math.min(w.config.batch.maxBytes, handOffBytes)

/** Events without ids go only to a service that has said that it takes them: another one might store them as it can. */
export const mayGo = (w: Instance, batch: Payload[]) => batch[0]!.record.kind !== 'anonymous' || w.isCounting

/** The request that carries a batch: its address, and how it is sent. */
export const post = (w: Instance, kind: Kind, batch: Payload[], keepalive = canOutlive(w, batch)) => {
  const { auth } = w.config.transport
  const init: RequestInit = {
    method: 'POST',
    body: toBody(batch),
    keepalive,
    credentials: 'omit',
    headers: headersOf(auth, w.apiKey),
  }
  return [urlOf(kind, w.config.endpoint, auth === 'query' && w.apiKey), init] as const
}

/** Sends one batch and reads the answer. Never rejects. */
export const send = async (w: Instance, kind: Kind, batch: Payload[]): Promise<Answer> => {
  const { fetch, timeoutMs } = w.config.transport
  const abort = createAbort()
  const stop = w.browser.after(timeoutMs, () => abort?.abort())
  try {
    const [url, init] = post(w, kind, batch)
    const response = await (fetch ?? w.browser.fetch)(url, { ...init, signal: abort?.signal as AbortSignal })
    // Read to the end, always: Chromium frees the keepalive quota only then. Where another script of the page reads the
    // body, the status alone decides.
    const isRead = response.bodyUsed || response.body?.locked
    const text = isRead ? '{"ok":' + response.ok + '}' : await response.text()
    const { headers, status } = response
    // A JSON beacon carries credentials: against `Access-Control-Allow-Origin: *` it returns true and never arrives.
    w.beaconArrives ||= headers.get('Access-Control-Allow-Credentials') === 'true'
    const retryAfter = headers.get('Retry-After')!
    // A number of seconds or a date.
    return readAnswer(status, text, +retryAfter * 1000 || Date.parse(retryAfter) - w.browser.now())
  } catch {
    return { status: 'retry', isMissing: true }
  } finally {
    stop()
  }
}

/** Makes ready to hand one batch off as the page goes. */
export const prepareHandOff = (w: Instance, batch: Payload[]): Send => {
  const { beacon, auth, fetch } = w.config.transport
  const [url, init] = post(w, batch[0]!.record.kind, batch, true)
  // A page of an opaque origin loses one beacon in ten at navigation in Chromium, and no keepalive request.
  const own = w.browser.ownOrigin()
  const arrives = w.beaconArrives ? own !== 'null' : url.startsWith(own + '/')
  const isBetter = arrives && !fetch && !w.browser.keepsAlive()
  // A `fetch` of the page's own is passed over only by option.
  return auth === 'query' && !w.browser.hasWorker() && (beacon === true || (beacon && isBetter))
    ? w.browser.prepareBeacon(url, init)
    : w.browser.prepareFetch(url, init, fetch)
}
