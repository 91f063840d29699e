import { createBrowser } from './browser/createBrowser'
import { readTag } from './browser/readTag'
import { pageviews } from './plugins/pageviews'
import { runCommands } from './runCommands'
import { createWaymarkIn } from './waymark'

/** The script tag: starts by the tag's `data-*` attributes, then runs what the page called before. */
const tag = readTag()
const browser = createBrowser()
const waymark = createWaymarkIn(browser)
const withPush = runCommands(waymark, tag.commands, browser)
tag.publish(withPush)
if (tag.pageviews) waymark.use(pageviews(tag.pageviews))
if (tag.apiKey) waymark.init(tag.apiKey, tag.config)
