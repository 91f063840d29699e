import type { Plugin } from '../core/types'
import { createRequestIds } from './requestIds'

export interface CookieOptions {
  /** @defaultValue `'waymark'` */
  name?: string
  /** The domain that it is set on; `true` for the widest that the browser allows. @defaultValue `true` */
  domain?: true | string
  /** Keeps the session in it, too, for `forRequest` of `waymark/node`. @defaultValue `false` */
  session?: boolean
}

/** Browsers keep a cookie for 400 days at most; a year, from the last visit on. */
const maxAgeSeconds = 365 * 86_400

/** The value of a first-party cookie, or an empty string. */
const read = (name: string): string => {
  const start = `${name}=`
  try {
    const found = document.cookie.split('; ').find((pair) => pair.startsWith(start))
    return decodeURIComponent(found?.slice(start.length) ?? '')
  } catch {
    // A sandboxed page may not ask; and what others have written there may be anything.
    return ''
  }
}

/**
 * Sets a cookie on a domain, or on the widest that the browser allows: it refuses public suffixes, so the first that
 * sticks is the site's own. An empty value deletes it.
 */
const write = (name: string, value: string, domain: true | string) => {
  // An old one would look as if the new one had stuck.
  if (value) write(name, '', domain)
  const labels = location.hostname.split('.')
  const wider = labels.map((_, index) => `; Domain=${labels.slice(-1 - index).join('.')}`)
  try {
    for (const candidate of domain === true ? [...wider, ''] : [`; Domain=${domain}`]) {
      document.cookie =
        `${name}=${value}; Path=/; SameSite=Lax; Max-Age=${value ? maxAgeSeconds : 0}${candidate}` +
        (location.protocol === 'https:' ? '; Secure' : '')
      if (value && read(name) === decodeURIComponent(value)) return
    }
  } catch {
    // A sandboxed page has none.
  }
}

/**
 * Mirrors the device id and the anonymous id in a first-party cookie: it joins the subdomains of a site, and brings
 * the ids back when the browser has lost its database. Give it in `plugins`: one that is used later is too late to
 * bring anything back.
 *
 * @example
 * waymark.init('pk_1', { endpoint: 'https://api.example.com', plugins: [cookie()] })
 */
export function cookie({ name = 'waymark', domain = true, session = false }: CookieOptions = {}): Plugin {
  let touch = () => {}
  const forget = () => {
    if (read(name)) write(name, '', domain)
  }
  return {
    name: 'cookie',
    restore(stored) {
      const [deviceId, anonymousId] = read(name).split('~')
      // Another subdomain has begun anew; a user who is signed in here stays.
      if (deviceId && anonymousId && !stored.userId && anonymousId !== stored.anonymousId)
        return { deviceId, anonymousId }
    },
    beforeSend(draft) {
      if (session && draft.kind === 'track') touch()
      return draft
    },
    start({ on, ids }) {
      const told = createRequestIds(
        () => ({ ...ids(), ...(!session && { sessionId: '' }) }),
        () => save(),
      )
      touch = told.touch
      const save = () => write(name, told.read(), domain)
      // It is told only once the visitor agrees, at each visit, and whenever the ids change.
      const stops = [
        on('identity', save),
        on('session', () => session && save()),
        on('consent', ({ state }) => /^[da]/.test(state) && forget()),
        // A page that begins under a refusal hears of no change.
        on('drop', ({ reason }) => reason === 'no-consent' && forget()),
      ]
      return () => {
        for (const stop of stops) stop()
      }
    },
  }
}
