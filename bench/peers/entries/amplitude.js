import {
  identify as identifyUser,
  init,
  setUserId,
  track as trackEvent,
  Identify,
} from '@amplitude/analytics-browser'

export const start = (endpoint) =>
  init('bench', {
    serverUrl: `${endpoint}/2/httpapi`,
    autocapture: false,
    fetchRemoteConfig: false,
    enableDiagnostics: false,
    // Its default of five is used up after ten seconds.
    flushMaxRetries: 50,
  }).promise
export const track = (name, properties) => trackEvent(name, properties)
export const identify = (id) => {
  setUserId(id)
  identifyUser(new Identify())
}
