import posthog from 'posthog-js'

export const start = (endpoint) => posthog.init('bench', { api_host: endpoint, defaults: 'latest' })
