import type { Host, Plugin, Properties, Scope, Tracked } from '../../src/types'

/** A host that writes down what a plugin does with it. */
export function createHost() {
  const tracked: { event: string; properties: Properties }[] = []
  const registered: { properties: Properties; scope: Scope; once: boolean }[] = []
  const track = (event: string, properties: Properties = {}): Tracked => {
    // As the payload would have it: what is undefined is left out.
    tracked.push({ event, properties: JSON.parse(JSON.stringify(properties)) })
    return { id: '', outcome: Promise.resolve({ status: 'queued' }) }
  }
  const host: Host = {
    track,
    page: (properties) => track('$pageview', properties),
    register: (properties, scope = 'persistent') => void registered.push({ properties, scope, once: false }),
    registerOnce: (properties, scope = 'persistent') =>
      void registered.push({ properties, scope, once: true }),
    on: () => () => {},
    cleanUrl: (href) => href.replace(/\?.*/, ''),
  }
  return {
    host,
    tracked,
    registered,
    events: () => tracked.map(({ event }) => event),
    start: (plugin: Plugin) => plugin.start?.(host) ?? (() => {}),
  }
}
