import { note } from '../journal.js'

/** Where each call takes its options. */
const optionsAt = { track: 2, identify: 2, page: 1 }

/**
 * Calls waymark. Before its script is there, calls wait in the array that it reads when it starts; they say
 * themselves when they were made.
 * @param {'track' | 'page' | 'identify' | 'reset'} method
 * @param {...unknown} args
 */
export function tell(method, ...args) {
  const waymark = (window.waymark ||= [])
  const name = method === 'track' ? String(args[0]) : method === 'page' ? '$pageview' : method
  if (Array.isArray(waymark)) {
    if (method !== 'reset') args[optionsAt[method]] = { timestamp: Date.now() }
    waymark.push([method, ...args])
    if (method !== 'reset') note('', name)
  } else {
    const tracked = waymark[method](...args)
    if (tracked) note(tracked.id, name)
  }
}
