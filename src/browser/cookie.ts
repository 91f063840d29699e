/** Browsers keep a cookie for 400 days at most; a year, from the last visit on. */
const maxAgeSeconds = 365 * 86_400

/** The value of a first-party cookie, or an empty string. */
export function readCookie(name: string): string {
  const start = `${name}=`
  const found = document.cookie.split('; ').find((pair) => pair.startsWith(start))
  return found ? decodeURIComponent(found.slice(start.length)) : ''
}

/**
 * Sets a cookie on a domain, or on the widest that the browser allows: it refuses public suffixes, so the first that
 * sticks is the site's own. An empty value deletes it.
 */
export function writeCookie(name: string, value: string, domain: true | string) {
  const { hostname, protocol } = location
  const labels = hostname.split('.')
  // An address has no domains above it, and a single label none that a cookie may name.
  const isPlain = labels.length < 2 || /^[\d.]+$|:/.test(hostname)
  const candidates =
    domain === true
      ? isPlain
        ? ['']
        : labels.map((_, index) => labels.slice(-1 - index).join('.'))
      : [domain]
  for (const candidate of candidates) {
    document.cookie = [
      `${name}=${encodeURIComponent(value)}`,
      'Path=/',
      'SameSite=Lax',
      `Max-Age=${value ? maxAgeSeconds : 0}`,
      ...(candidate ? [`Domain=${candidate}`] : []),
      ...(protocol === 'https:' ? ['Secure'] : []),
    ].join('; ')
    if (value && readCookie(name) === value) return
  }
}
