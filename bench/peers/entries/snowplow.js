import { newTracker, setUserId, trackSelfDescribingEvent } from '@snowplow/browser-tracker'

export const start = (endpoint) => {
  newTracker('sp', endpoint, { appId: 'bench' })
}
export const track = (name, properties) =>
  trackSelfDescribingEvent({
    event: { schema: `iglu:com.example/${name.replaceAll(' ', '_')}/jsonschema/1-0-0`, data: properties },
  })
export const identify = (id) => setUserId(id)
