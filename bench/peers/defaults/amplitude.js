import { init } from '@amplitude/analytics-browser'

export const start = (endpoint) => init('bench', { serverUrl: `${endpoint}/2/httpapi` })
