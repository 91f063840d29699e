import type { Consent } from '../core/types'

/**
 * What to assume until the visitor chooses: a refusal where the browser asks not to be tracked (Do Not Track), else
 * `usual`.
 *
 * @example
 * waymark.init('pk_1', { endpoint: 'https://api.example.com', consent: doNotTrack() })
 */
export const doNotTrack = (usual: Consent = 'granted'): Consent =>
  // On a server there may be no navigator.
  globalThis.navigator?.doNotTrack === '1' ? 'denied' : usual
