import { readConfig } from '../../src/config'
import { save } from '../../src/disk'
import { createInstance, type Instance } from '../../src/instance'
import { on } from '../../src/signals'
import type { InitConfig } from '../../src/types'
import { openDatabase, type World } from './createWorld'

/** The queue of a page that nothing else runs in; with a database when it is named. */
export function openQueue(world: World, given: Partial<InitConfig> = {}, database?: string) {
  const w = createInstance(world.openTab().browser)
  Object.assign(w, { config: readConfig(given), state: 'open' })
  if (database) Object.assign(w, { database: openDatabase(database), brokenUntil: 0 })
  on(w, 'save', () => save(w))
  return w
}

export type Queue = ReturnType<typeof openQueue>

/** What waits, the oldest first. */
export const all = (w: Pick<Instance, 'records'>) => w.records.flatMap(({ items }) => items)
