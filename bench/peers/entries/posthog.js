import posthog from 'posthog-js'

export const start = (endpoint) =>
  new Promise((loaded) =>
    posthog.init('bench', {
      api_host: endpoint,
      loaded,
      defaults: 'latest',
      autocapture: false,
      capture_pageview: false,
      capture_pageleave: false,
      disable_session_recording: true,
      disable_surveys: true,
      disable_external_dependency_loading: true,
      advanced_disable_flags: true,
      // A headless browser is a bot to it.
      opt_out_useragent_filter: true,
      // Its default of 10 events a second with bursts of 100 would refuse what is measured.
      rate_limiting: { events_per_second: 1e6, events_burst_limit: 1e6 },
    }),
  )
export const track = (name, properties) => posthog.capture(name, properties)
export const identify = (id) => posthog.identify(id)
