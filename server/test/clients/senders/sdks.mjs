// Every call that each SDK offers, by somebody; and the events that they are here.

/** @typedef {{ url: string, key: string, who: string }} Asked */
/**
 * @typedef {{ send: (asked: Asked) => Promise<unknown>, events: string[], retries?: boolean, traits?: object }} Sdk
 *   `retries`: it sends again what was not answered.
 */

const quiet = () => undefined
/** @param {(done: () => void) => unknown} call */
const called = (call) => new Promise((resolve) => call(() => resolve(undefined)))

/** @type {Record<string, Sdk>} */
export const sdks = {
  'analytics-node': {
    events: ['$group', '$pageview', '$screen', 'T'],
    traits: { plan: 'pro' },
    retries: true,
    async send({ url, key, who: userId }) {
      const { Analytics } = await import('@segment/analytics-node')
      const analytics = new Analytics({ writeKey: key, host: url, path: '/segment/v1/batch' })
      analytics.on('error', quiet)
      analytics.track({ userId, event: 'T' })
      analytics.identify({ userId, traits: { plan: 'pro' } })
      analytics.page({ userId })
      analytics.screen({ userId, name: 'S' })
      analytics.group({ userId, groupId: 'g' })
      await analytics.closeAndFlush()
    },
  },
  'rudder-sdk-node': {
    events: ['$group', '$pageview', '$screen', 'T'],
    traits: { plan: 'pro' },
    retries: true,
    async send({ url, key, who: userId }) {
      const { default: Rudder } = await import('@rudderstack/rudder-sdk-node')
      const rudder = new Rudder(key, { dataPlaneUrl: `${url}/segment`, flushAt: 10, logLevel: 'silent' })
      const calls = [
        called((done) => rudder.track({ userId, event: 'T' }, done)),
        called((done) => rudder.identify({ userId, traits: { plan: 'pro' } }, done)),
        called((done) => rudder.page({ userId, name: 'P' }, done)),
        called((done) => rudder.screen({ userId, name: 'S' }, done)),
        called((done) => rudder.group({ userId, groupId: 'g' }, done)),
      ]
      await rudder.flush()
      await Promise.all(calls)
    },
  },
  'posthog-node': {
    events: ['T', 'U'],
    traits: { plan: 'pro', first: 1 },
    retries: true,
    async send({ url, key, who: distinctId }) {
      const { PostHog } = await import('posthog-node')
      const posthog = new PostHog(key, { host: `${url}/posthog`, fetchRetryDelay: 100 })
      posthog.capture({ distinctId, event: 'T', properties: { $set_once: { first: 1 } } })
      posthog.identify({ distinctId, properties: { plan: 'pro' } })
      posthog.capture({ distinctId, event: 'U', properties: { $set_once: { first: 2 } } })
      await posthog.flush()
      await posthog.shutdown()
    },
  },
  mixpanel: {
    events: ['B', 'C', 'T'],
    traits: { plan: 'pro', first: 1 },
    async send({ url, key, who }) {
      const { default: Mixpanel } = await import('mixpanel')
      const { host } = new URL(url)
      const mixpanel = Mixpanel.init(key, { host, protocol: 'http', path: '/mixpanel', keepAlive: false })
      const all = ['B', 'C'].map((event) => ({
        event,
        properties: { distinct_id: who, $insert_id: event + who },
      }))
      await called((done) => mixpanel.track('T', { distinct_id: who }, done))
      await called((done) => mixpanel.track_batch(all, done))
      await called((done) => mixpanel.people.set(who, { plan: 'pro' }, done))
      await called((done) => mixpanel.people.set_once(who, { first: 1 }, done))
    },
  },
  'amplitude-node': {
    events: ['T', 'revenue_amount'],
    traits: { plan: 'pro', first: 1 },
    retries: true,
    async send({ url, key, who: user_id }) {
      const { createInstance, Identify, Revenue } = await import('@amplitude/analytics-node')
      const amplitude = createInstance()
      const serverUrl = `${url}/amplitude/2/httpapi`
      await amplitude.init(key, { serverUrl, logLevel: 0, flushIntervalMillis: 50 }).promise
      const calls = [
        amplitude.track('T', {}, { user_id }),
        amplitude.identify(new Identify().set('plan', 'pro').setOnce('first', 1), { user_id }),
        amplitude.revenue(new Revenue().setProductId('p').setPrice(3), { user_id }),
      ]
      // Its flush would not try again.
      await Promise.all(calls.map(({ promise }) => promise))
    },
  },
  '@umami/node': {
    events: ['$pageview', 'T'],
    async send({ url, key, who }) {
      const { Umami } = await import('@umami/node')
      const umami = new Umami({ websiteId: key, hostUrl: `${url}/umami` })
      await umami.track({ url: '/', hostname: 'x.test', data: { who } })
      await umami.track('T', { who })
    },
  },
  'snowplow-node': {
    events: ['$pageview', 'T', 'sign_up'],
    retries: true,
    async send({ url, key, who }) {
      const snowplow = await import('@snowplow/node-tracker')
      const emitter = { endpoint: `${url}/snowplow`, eventMethod: 'post', bufferSize: 3 }
      const tracker = snowplow.newTracker({ namespace: who, appId: key }, emitter)
      tracker.setUserId(who)
      tracker.track(snowplow.buildPageView({ pageUrl: 'https://x.test/' }))
      tracker.track(snowplow.buildStructEvent({ category: 'c', action: 'T' }))
      const event = { schema: 'iglu:com.acme/sign_up/jsonschema/1-0-0', data: { plan: 'pro' } }
      tracker.track(snowplow.buildSelfDescribingEvent({ event }))
      // It sends again with its next event, or flush.
      for (let tries = 0; tries < 3; tries++) await tracker.flush()
    },
  },
}
