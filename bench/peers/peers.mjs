/**
 * Whom this compares, in the order of the tables. `settings` are what differs from the defaults; `promise` is what the
 * makers say of delivery, in our words, and `doc` where; `tag` is the script-tag file that a package ships, `lean` a
 * smaller file of it for bundlers, which leaves parts out. `onlyBytes` says why a peer is not run.
 * @type {{ name: string, title: string, package: string, settings: string, promise: string, doc: string, tag?: string, lean?: string, onlyBytes?: string }[]}
 */
export const peers = [
  {
    name: 'waymark',
    title: 'waymark',
    package: 'waymark',
    settings: 'none',
    promise: 'Every event is on disk milliseconds after the call, and stays there until the service has it.',
    doc: 'README, The promise',
    tag: '../../dist/waymark.iife.js',
  },
  {
    name: 'posthog',
    title: 'PostHog',
    package: 'posthog-js',
    settings:
      'newest defaults; autocapture, page views and leaves, replay, surveys, flags and scripts from elsewhere off; rate limit lifted, headless browsers let in',
    promise: 'Failed requests are tried again while the page lives; beacons carry what a leaving page has.',
    doc: 'posthog-js releases, 1.428.6',
    tag: 'node_modules/posthog-js/dist/array.js',
    lean: 'dist/module.slim.js',
  },
  {
    name: 'mixpanel',
    title: 'Mixpanel',
    package: 'mixpanel-browser',
    settings: 'persistence in localStorage; batches on (as by default)',
    promise:
      'Events wait in localStorage, and are sent again after network failures and closed pages. A call may ask to be sent at once (not asked here). A refused connection of a browser that is online counts as blocked, and is not tried again.',
    doc: 'mixpanel-js releases, v2.36.0 and v2.42.0',
    tag: 'node_modules/mixpanel-browser/dist/mixpanel.min.js',
    lean: 'dist/mixpanel-core.cjs.js',
  },
  {
    name: 'amplitude',
    title: 'Amplitude',
    package: '@amplitude/analytics-browser',
    settings: 'autocapture, remote configuration and diagnostics off; 50 tries instead of 5',
    promise: 'Unsent events are kept by a storage provider, localStorage by default, and tried again.',
    doc: 'type IConfig of @amplitude/analytics-core, storageProvider and flushMaxRetries',
    tag: 'node_modules/@amplitude/analytics-browser/lib/scripts/amplitude-min.js',
  },
  {
    name: 'segment',
    title: 'Segment',
    package: '@segment/analytics-next',
    settings: 'settings of a source without destinations given, so that none are fetched',
    promise: 'Events that fail are kept in localStorage, a hundred at a time, and tried up to ten times.',
    doc: 'Analytics.js docs, Retries',
    tag: 'node_modules/@segment/analytics-next/dist/umd/standalone.js',
  },
  {
    name: 'rudderstack',
    title: 'RudderStack',
    package: '@rudderstack/analytics-js',
    settings:
      'the entry with all plugins in it; configuration of a source without destinations given, so that none is fetched',
    promise: 'A queue that is kept across pages holds events until the data plane has taken them.',
    doc: 'JavaScript SDK docs, Load JavaScript SDK, queueOptions',
  },
  {
    name: 'snowplow',
    title: 'Snowplow',
    package: '@snowplow/browser-tracker',
    settings: 'none',
    promise: 'Unsent events wait in localStorage, a thousand at most, and are sent again.',
    doc: 'type TrackerConfiguration of @snowplow/browser-tracker-core, maxLocalStorageQueueSize',
    tag: 'node_modules/@snowplow/browser-tracker/dist/index.umd.min.js',
  },
  {
    name: 'jitsu',
    title: 'Jitsu',
    package: '@jitsu/js',
    settings: 'none',
    promise: 'Nothing is said of the browser; each event is one request.',
    doc: 'README of @jitsu/js',
    tag: 'node_modules/@jitsu/js/dist/web/p.js.txt',
  },
  {
    name: 'plausible',
    title: 'Plausible',
    package: '@plausible-analytics/tracker',
    settings: 'page views off, localhost counted',
    promise: 'Nothing is said of failures; each event is one request that outlives the page.',
    doc: 'README of @plausible-analytics/tracker',
  },
  {
    name: 'vercel',
    title: 'Vercel',
    package: '@vercel/analytics',
    settings: 'none',
    promise: 'Nothing is said of failures.',
    doc: 'README of @vercel/analytics',
    onlyBytes: 'the package is a loader: the script that sends is fetched from the host at run time',
  },
]

/** Those that can be run: their whole library is in the package. */
export const runnable = peers.filter(({ onlyBytes }) => !onlyBytes)
