import { RudderAnalytics } from '@rudderstack/analytics-js/bundled'

const analytics = new RudderAnalytics()
/** What its control plane would answer: a source without destinations. */
const source = {
  id: 'bench',
  name: 'bench',
  writeKey: 'bench',
  workspaceId: 'bench',
  enabled: true,
  destinations: [],
  connections: [],
  config: { statsCollection: { errors: { enabled: false }, metrics: { enabled: false } } },
}

export const start = (endpoint) =>
  new Promise((resolve) => {
    analytics.ready(resolve)
    analytics.load('bench', endpoint, { getSourceConfig: () => ({ source }), sendAdblockPage: false })
  })
export const track = (name, properties) => analytics.track(name, properties)
export const identify = (id) => analytics.identify(id)
