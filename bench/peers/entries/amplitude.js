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
  }).promise
export const track = (name, properties) => trackEvent(name, properties)
export const identify = (id) => {
  setUserId(id)
  identifyUser(new Identify())
}
