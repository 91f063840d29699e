import { jitsuAnalytics } from '@jitsu/js'

let analytics
export const start = (endpoint) => {
  analytics = jitsuAnalytics({ host: endpoint, writeKey: 'bench' })
}
export const track = (name, properties) => analytics.track(name, properties)
export const identify = (id) => analytics.identify(id)
