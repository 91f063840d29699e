/** Browsers keep a cookie for 400 days at most; a year, from the last visit on. */
const maxAgeSeconds = 365 * 86_400

/** The value of a first-party cookie, or an empty string. */
export function readCookie(name: string): string {
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
export function writeCookie(name: string, value: string, domain: true | string) {
  // An old one would look as if the new one had stuck.
  if (value) writeCookie(name, '', domain)
  const labels = location.hostname.split('.')
  const wider = labels.map((_, index) => `; Domain=${labels.slice(-1 - index).join('.')}`)
  try {
    for (const candidate of domain === true ? [...wider, ''] : [`; Domain=${domain}`]) {
      document.cookie =
        `${name}=${encodeURIComponent(value)}; Path=/; SameSite=Lax; Max-Age=${value ? maxAgeSeconds : 0}${candidate}` +
        (location.protocol === 'https:' ? '; Secure' : '')
      if (value && readCookie(name) === value) return
    }
  } catch {}
}
