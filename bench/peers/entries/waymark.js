import { waymark } from 'waymark'

export const start = (endpoint) => {
  waymark.init('bench', { endpoint: `${endpoint}/w` })
  return waymark.ready()
}
export const track = (name, properties) => waymark.track(name, properties)
export const identify = (id) => waymark.identify(id)
