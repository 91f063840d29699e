import type { Config } from '../types'

/**
 * Returns a function that strips a URL to what may leave the page: no fragment's query, no credentials, and only
 * the query parameters on the list. The last answer is kept: a page tracks many events at one URL.
 */
export function createUrlFilter({ keepParams, redact }: Config['url']) {
  const cache = new Map<string, string>()

  const kept = (name: string) =>
    keepParams.some((rule) => (rule.endsWith('*') ? name.startsWith(rule.slice(0, -1)) : name === rule))

  return (href: string): string => {
    let clean = cache.get(href)
    if (clean === undefined) {
      clean = strip(href, kept, redact)
      if (cache.size > 20) cache.clear()
      cache.set(href, clean)
    }
    return clean
  }
}

function strip(href: string, kept: (name: string) => boolean, redact = (url: string) => url): string {
  try {
    const url = new URL(href)
    url.username = url.password = ''
    // Read from a copy: deleting while iterating skips names.
    for (const name of [...url.searchParams.keys()]) if (!kept(name)) url.searchParams.delete(name)
    // A router's path may live in the fragment, and a token in the query behind it.
    url.hash = /^#!?\//.test(url.hash) ? url.hash.split('?')[0]! : ''
    return redact(url.href)
  } catch {
    return ''
  }
}
