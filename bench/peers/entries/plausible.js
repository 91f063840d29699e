import { init, track as trackEvent } from '@plausible-analytics/tracker'

export const start = (endpoint) =>
  init({
    domain: 'example.com',
    endpoint: `${endpoint}/api/event`,
    autoCapturePageviews: false,
    captureOnLocalhost: true,
  })
export const track = (name, props) => trackEvent(name, { props })
