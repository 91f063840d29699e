import { maybe } from './maybe'
import type { Config } from './types'

const create = () => ({ __proto__: null }) as unknown as Record<string, string>

/**
 * Returns a function that strips a URL to what may leave the page: no fragment's query, no credentials, and only
 * the query parameters on the list. The last answers are kept: a page tracks many events at one URL.
 */
export const createUrlFilter = (rules: Config['url']) => {
  let cache = create()

  const isKept = (name: string) =>
    // With as much of the name as the rule has before its `*`.
    rules.keepParams.some((rule) => rule === name || rule === name.slice(0, rule.length - 1) + '*')

  // It is none, or `redact` has thrown: nothing is safer than something.
  const strip = (href: string): string =>
    maybe(() => {
      // All of a `data:` address is content, and a file's path has the name of who works on the machine.
      const url = new URL(href.replace(/^((data|file|blob):).*/s, '$1'))
      const { searchParams, hash } = url
      url.username = url.password = ''
      // Read from a copy: deleting while iterating skips names.
      for (const name of [...searchParams.keys()]) if (!isKept(name)) searchParams.delete(name)
      // A router's path may live in the fragment, and a token in the query behind it.
      // What matches comes as a list of one, which the setter makes a text of.
      url.hash = (/^#!?\/[^?]*/.exec(hash) ?? '') as string
      return rules.redact ? rules.redact(url.href) : url.href
    }) ?? ''

  return (href: string): string => {
    if (cache[href] === undefined) {
      if (Object.keys(cache)[20]) cache = create()
      cache[href] = strip(href)
    }
    return cache[href]
  }
}
