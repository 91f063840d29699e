import { createBrowser } from './browser'
import { pageviews } from './plugins/pageviews'
import { runCommands, type Command } from './commands'
import { createWaymarkIn } from './waymark'

// The script tag: starts by the tag's own attributes (`data-api-key`, `data-endpoint`, `data-environment`,
// `data-release`, `data-debug`, `data-pageviews`, and every other option as JSON in `data-config`), then makes the calls
// that the page has collected. No inline code is needed.

const page = window as { waymark?: unknown }
const { apiKey, config, debug, pageviews: views, ...rest } = document.currentScript?.dataset ?? {}
const browser = createBrowser()
const waymark = createWaymarkIn(browser)

const parse = (json = '{}'): object => {
  try {
    return JSON.parse(json)
  } catch {
    browser.warn('[waymark] data-config is not JSON')
    return {}
  }
}

const commands = Array.isArray(page.waymark) ? (page.waymark as Command[]) : []
page.waymark = runCommands(waymark, commands, browser)
if (views !== undefined && views !== 'false')
  waymark.use(pageviews({ replace: views.includes('replace'), query: views.includes('query') }))
if (apiKey)
  waymark.init(apiKey, {
    ...rest,
    debug: debug !== undefined && debug !== 'false',
    ...parse(config),
  })
