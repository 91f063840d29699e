import { RudderAnalytics } from '@rudderstack/analytics-js'

export const start = (endpoint) => new RudderAnalytics().load('bench', endpoint)
