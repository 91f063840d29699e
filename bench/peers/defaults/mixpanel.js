import mixpanel from 'mixpanel-browser'

export const start = (endpoint) => mixpanel.init('bench', { api_host: endpoint })
