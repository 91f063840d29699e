import type { Host, Plugin } from '../core/types'

export interface IdCookieOptions {
  /** The service, on a path of the page's own host: the same as `endpoint` of `init`. */
  endpoint: string
  /** Milliseconds that `ask` waits for an answer. @defaultValue `1000` */
  timeoutMs?: number
}

export interface IdCookie extends Plugin {
  /**
   * Fetches the ids that the service has in its cookie. Call it when the visitor has agreed, and wait for it before
   * `init` or `setConsent('granted')`. Never rejects.
   */
  ask(): Promise<void>
}

interface Kept {
  device_id: string | null
  anonymous_id: string | null
}

/**
 * Keeps the device id and the anonymous id in a cookie of the service (`--id-cookie`), which scripts cannot read: Safari
 * forgets after seven days what scripts have stored, and not that.
 *
 * @example
 * const ids = idCookie({ endpoint: '/w' })
 * await ids.ask()
 * waymark.init('pk_1', { endpoint: '/w', plugins: [ids] })
 */
export function idCookie({ endpoint, timeoutMs = 1000 }: IdCookieOptions): IdCookie {
  /** Undefined until it is known what the cookie holds: nothing is written over then. */
  let kept: Kept | undefined
  let ids: Host['ids'] | undefined
  /** The anonymous id in it. */
  let known = ''
  let isPosting = false

  const send = (method: string, body?: Kept, signal?: AbortSignal) =>
    fetch(`${endpoint.replace(/\/+$/, '')}/ids`, {
      method,
      credentials: 'same-origin',
      keepalive: method !== 'GET',
      ...(body && { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
      ...(signal && { signal }),
    })
  const quietly = (request: Promise<unknown>) =>
    void request.catch(() => {
      // The next session tries again.
    })

  /** Once for all that one task changes: a new visitor has a new session, too. */
  const post = () => {
    if (!kept || isPosting) return
    isPosting = true
    quietly(
      Promise.resolve().then(() => {
        isPosting = false
        const { deviceId, anonymousId } = ids!()
        return kept && send('POST', { device_id: deviceId, anonymous_id: anonymousId })
      }),
    )
  }

  return {
    name: 'id-cookie',

    async ask() {
      // After a refusal the ids are not even read: reading them would be using them.
      if ((navigator as { globalPrivacyControl?: boolean }).globalPrivacyControl) return
      let timer: ReturnType<typeof setTimeout> | undefined
      try {
        const abort = new AbortController()
        timer = setTimeout(() => abort.abort(), timeoutMs)
        const response = await send('GET', undefined, abort.signal)
        if (response.ok) kept = (await response.json()) as Kept
        known = kept?.anonymous_id ?? ''
      } catch {
        // Nobody answers, or not in time: this page goes on without.
      }
      clearTimeout(timer)
    },

    restore(stored) {
      const { device_id: deviceId, anonymous_id: anonymousId } = kept ?? {}
      // A browser that still has its ids knows better.
      if (deviceId && anonymousId && !stored.anonymousId) return { deviceId, anonymousId }
    },

    start(host) {
      ids = host.ids
      const stops = [
        host.on('identity', ({ anonymousId }) => {
          if (anonymousId !== known) post()
          known = anonymousId
        }),
        // Its life begins anew.
        host.on('session', post),
        host.on('consent', ({ state }) => {
          if (!/^[da]/.test(state)) return
          quietly(send('DELETE'))
          kept = { device_id: null, anonymous_id: null }
          known = ''
        }),
      ]
      return () => {
        for (const stop of stops) stop()
      }
    },
  }
}
