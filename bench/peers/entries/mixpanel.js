import mixpanel from 'mixpanel-browser'

export const start = (endpoint) =>
  mixpanel.init('bench', { api_host: endpoint, persistence: 'localStorage', batch_requests: true })
export const track = (name, properties) => mixpanel.track(name, properties)
export const identify = (id) => mixpanel.identify(id)
