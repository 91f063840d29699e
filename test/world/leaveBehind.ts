import type { World } from './createWorld'

/** An event `Gone` waits on the disk, and its page is gone: the service is down. */
export async function leaveBehind(world: World) {
  world.service.become({ kind: 'down' })
  const gone = world.openTab()
  gone.init().track('Gone')
  await world.advance(100)
  gone.crash()
}
