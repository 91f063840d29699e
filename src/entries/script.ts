import { maybe } from '../core/maybe'
import { createBrowser, ofDocument } from '../core/browser'
import { pageviews } from '../plugins/pageviews'
import { runCommands } from './commands'
import type { Command, InitConfig, Waymark } from '../core/types'
import { createWaymarkIn } from '../core/waymark'

// The script tag: starts by the tag's own attributes (`data-api-key`, `data-endpoint`, `data-environment`,
// `data-release`, `data-debug`, `data-pageviews`, `data-plugins`, and every other option as JSON in `data-config`), then
// makes the calls that the page has collected. No inline code is needed.

const page = window as { waymark?: unknown }
const {
  apiKey,
  config = '{}',
  debug = 'false',
  pageviews: views = 'false',
  plugins = '',
  ...rest
} = ofDocument('currentScript')?.dataset ?? {}
const browser = createBrowser()
const own = createWaymarkIn(browser)
// A tag manager may run this script again and again: what is there follows the page already.
const before = page.waymark as Partial<Waymark> | undefined
const waymark = before?.stats ? (before as Waymark) : own

const tellMissing = () => browser.taken[0] || waymark.init('', {} as InitConfig)

const isDebug = debug !== 'false'
const options = maybe(() => JSON.parse(config)) as object | undefined
if (!options) browser.warn('[waymark] data-config is not JSON')

if (waymark === own)
  page.waymark = runCommands(own, Array.isArray(before) ? (before as Command[]) : [], browser)

// From beside this script, by its policy: an element that is given its address needs a Trusted Types policy, this does
// not. What is called meanwhile waits for `init`; one that cannot be loaded is done without. A page's own `Promise` may
// have no `allSettled`.
const names = (plugins + (isDebug ? ' checks' : '')).match(/[\w-]+/g) ?? []
void Promise.all(names.map((name) => import(`./waymark.${name}.js`).catch(String))).then(() => {
  // After those that are to be on the first page view.
  if (views !== 'false')
    waymark.use(pageviews({ replace: views.includes('replace'), query: views.includes('query') }))
  // An address without a key is a key forgotten, or named `data-apikey`, which `init` says.
  if (apiKey || rest.endpoint || rest.apikey)
    waymark.init(apiKey!, { ...rest, debug: isDebug, ...options } as InitConfig)
  // A module, and what a tag manager has stripped, has no attributes: the page has to call `init` itself.
  else if (document.readyState === 'complete') tellMissing()
  else addEventListener('load', tellMissing)
})
