import type { Host, Plugin, Properties, Tracked } from '../../src/core/types'

/** A host that writes down what a plugin tracks. One that registers is tested with an instance of its own. */
export function createHost() {
  const tracked: { event: string; properties: Properties }[] = []
  const track = (event: string, properties: Properties = {}): Tracked => {
    // As the payload would have it: what is undefined is left out.
    tracked.push({ event, properties: JSON.parse(JSON.stringify(properties)) })
    return { id: '', outcome: Promise.resolve({ status: 'queued' }) }
  }
  const host: Host = {
    track,
    page: (properties) => track('$pageview', properties),
    register() {},
    registerOnce() {},
    unregister() {},
    ids: () => ({
      deviceId: 'device-1',
      anonymousId: 'anonymous-1',
      distinctId: 'anonymous-1',
      sessionId: 'session-1',
    }),
    getConsent: () => 'granted',
    on: () => () => {},
    copy: (given) => given,
    cleanUrl: (href) => href.replace(/\?.*/, ''),
  }
  return {
    host,
    tracked,
    events: () => tracked.map(({ event }) => event),
    start: (plugin: Plugin) => plugin.start?.(host) ?? (() => {}),
  }
}
