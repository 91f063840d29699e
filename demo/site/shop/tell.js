import { note } from '../journal.js'

/**
 * Calls waymark. Before its script is there, calls wait in the array that it reads when it starts.
 * @param {'track' | 'page' | 'identify' | 'reset'} method
 * @param {...unknown} args
 */
export function tell(method, ...args) {
  const waymark = (window.waymark ||= [])
  const name = method === 'track' ? String(args[0]) : method === 'page' ? '$pageview' : method
  if (Array.isArray(waymark)) {
    waymark.push([method, ...args])
    if (method !== 'reset') note('', name)
  } else {
    const tracked = waymark[method](...args)
    if (tracked) note(tracked.id, name)
  }
}
