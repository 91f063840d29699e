import { AnalyticsBrowser } from '@segment/analytics-next'

export const start = () => AnalyticsBrowser.load({ writeKey: 'bench' })
