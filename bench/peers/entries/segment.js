import { AnalyticsBrowser } from '@segment/analytics-next'

const analytics = new AnalyticsBrowser()
export const start = (endpoint) => {
  const apiHost = `${new URL(endpoint).host}/v1`
  const segment = { apiKey: 'bench', apiHost, protocol: 'http' }
  return analytics.load({ writeKey: 'bench', cdnSettings: { integrations: { 'Segment.io': segment } } })
}
export const track = (name, properties) => analytics.track(name, properties)
export const identify = (id) => analytics.identify(id)
