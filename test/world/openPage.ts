import { createWorld } from './createWorld'

export const names = (count: number, prefix = 'E') => Array.from({ length: count }, (_, n) => `${prefix}${n}`)

/** A page that knows its visitor, in a world of its own. */
export async function openPage(config = {}) {
  const world = createWorld()
  const tab = world.openTab()
  const waymark = tab.init(config)
  await waymark.ready()
  const track = (...events: string[]) => events.map((event) => waymark.track(event))
  return { world, tab, waymark, track, service: world.service }
}
