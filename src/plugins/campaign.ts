import { cut } from '../core/json'
import { scope } from './scopes'
import type { Plugin, Properties } from '../core/types'
import { whenShown } from './whenShown'

const utm = ['source', 'medium', 'campaign', 'term', 'content']
const clickIds = ['gclid', 'dclid', 'fbclid', 'msclkid', 'ttclid', 'twclid', 'li_fat_id']

/**
 * Registers where a visitor came from: `$utm_*` and click ids for the session, `first_*` for the first visit, `last_*`
 * for the last that had a campaign, a click id or a referrer on another site. Put it before `pageviews()`.
 */
export function campaign(): Plugin {
  const session = scope('session')
  return {
    ...session,
    name: 'campaign',
    start(host) {
      const { register, registerOnce, cleanUrl } = host
      session.start!(host)
      return whenShown(() => {
        const params = new URLSearchParams(location.search)
        const { referrer } = document
        const isForeign = referrer && new URL(referrer).host !== location.host
        // All names at once, absent ones too: parts of two campaigns must never be mixed.
        const now: Properties = {}
        const named: Properties = {}
        let isTouch = !!isForeign
        const note = (name: string, prefix: string) => {
          const value = cut(params.get(name) ?? '', 200) || undefined
          now[prefix + name] = named[name] = value
          isTouch ||= value !== undefined
        }
        for (const name of utm) note(`utm_${name}`, '$')
        for (const name of clickIds) note(name, '')
        named['referrer'] = isForeign ? cleanUrl(referrer) : undefined
        named['landing_url'] = cleanUrl(location.href)

        const as = (prefix: string) =>
          Object.fromEntries(Object.entries(named).map(([name, value]) => [prefix + name, value]))
        registerOnce(as('first_'))
        if (!isTouch) return
        register(as('last_'))
        session.register(now)
      })
    },
  }
}
