import type { Stop, Waymark } from '../core/types'

export interface ConsentModeOptions {
  /** TCF purposes, all of which the visitor must agree to. @defaultValue `[1, 8]`: storage, measuring content */
  purposes?: number[]
}

/** What a CMP tells (IAB TCF 2, "TCData"). */
interface TcData {
  gdprApplies?: boolean
  eventStatus?: 'tcloaded' | 'cmpuishown' | 'useractioncomplete'
  purpose?: { consents?: Record<number, boolean> }
}

interface Page {
  dataLayer?: unknown[]
  __tcfapi?(
    command: 'addEventListener',
    version: 2,
    heard: (data: TcData | null, isKnown: boolean) => void,
  ): void
}

/**
 * Takes the visitor's choice from a consent platform: from Google Consent Mode (`analytics_storage` of each `update`)
 * and from the IAB's TCF. Give `init` the option `consent: 'pending'`. Returns the function that ends it.
 *
 * @example
 * consentMode(waymark)
 * waymark.init('pk_1', { endpoint: 'https://api.example.com', consent: 'pending' })
 */
export function consentMode(
  waymark: Pick<Waymark, 'setConsent'>,
  { purposes = [1, 8] }: ConsentModeOptions = {},
): Stop {
  let said: boolean | undefined
  let isStopped = typeof document === 'undefined'
  if (isStopped) return () => {}

  const say = (isGranted: boolean) => {
    if (isStopped || isGranted === said) return
    said = isGranted
    waymark.setConsent(isGranted ? 'granted' : 'denied')
  }

  /** `gtag('consent', 'update', { analytics_storage: 'granted' })`; a `default` is no choice. */
  const read = (entry: unknown) => {
    const [name, command, choice] = Array.from((entry ?? []) as ArrayLike<unknown>)
    const storage = (choice as { analytics_storage?: string } | undefined)?.analytics_storage
    if (name === 'consent' && command === 'update' && storage) say(storage === 'granted')
  }

  const page = window as Page
  const layer = (page.dataLayer ||= [])
  layer.forEach(read)
  const { push } = layer
  // Google's own script wraps it in the same way, and calls what was there.
  const heard = (layer.push = (...entries) => {
    entries.forEach(read)
    return push.apply(layer, entries)
  })

  page.__tcfapi?.('addEventListener', 2, (data, isKnown) => {
    // Without a choice nothing is said: not while the question is on the screen, and not for a visitor who need not be
    // asked but refuses by Global Privacy Control.
    if (!isKnown || !data || data.eventStatus === 'cmpuishown') return
    if (data.gdprApplies !== false) say(purposes.every((each) => data.purpose?.consents?.[each]))
    else if (!(navigator as { globalPrivacyControl?: boolean }).globalPrivacyControl) say(true)
  })

  return () => {
    isStopped = true
    if (layer.push === heard) layer.push = push
  }
}
