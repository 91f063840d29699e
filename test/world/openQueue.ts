import { readConfig } from '../../src/core/config'
import { createInstance, type Instance } from '../../src/core/instance'
import type { InitConfig, Waymark } from '../../src/core/types'
import { openDatabase, type World } from './createWorld'

/** The queue of a page that nothing else runs in; with a database when it is named. */
export function openQueue(world: World, given: Partial<InitConfig> = {}, database?: string) {
  const w = createInstance(world.openTab().browser, {} as Waymark)
  Object.assign(w, { config: readConfig(given), pageState: 'open' })
  if (database) Object.assign(w, { database: openDatabase(database), brokenUntil: 0 })
  return w
}

export type Queue = ReturnType<typeof openQueue>

/** What waits, the oldest first. */
export const all = (w: Pick<Instance, 'records'>) => w.records.flatMap(({ items }) => items)
