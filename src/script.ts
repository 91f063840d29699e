import { readTag } from './browser/readTag'
import { runCommands } from './runCommands'
import { createWaymark } from './waymark'

/** The script tag: starts by the tag's `data-*` attributes, then runs what the page called before. */
const tag = readTag()
const waymark = createWaymark()
const withPush = runCommands(waymark, tag.commands)
tag.publish(withPush)
if (tag.apiKey) waymark.init(tag.apiKey, tag.config)
