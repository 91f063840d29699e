import { nanoid } from 'nanoid'
import type { Database } from '../browser/openDatabase'
import type { Ids } from '../types'

type Stored = Pick<Ids, 'deviceId' | 'anonymousId' | 'userId'>

const newDevice = () => `device-${nanoid()}`
const newAnonymous = () => `anonymous-${nanoid()}`

/** Holds the ids of this browser, and keeps them on disk when there is one. */
export function createIdentity(database: Database | undefined, changed: (ids: Ids) => void) {
  let current: Stored = { deviceId: '', anonymousId: '' }

  // A write that only puts: one that reads first could be open when the page goes. The first page to `add` wins.
  const save = (mayReplace: boolean) =>
    database?.write((store) => void store[mayReplace ? 'put' : 'add'](current, 'ids')) ?? Promise.resolve()

  const ids = (): Ids => ({ ...current, distinctId: current.userId ?? current.anonymousId })

  const change = (to: Stored) => {
    current = to
    save(true).catch(() => {})
    changed(ids())
  }

  return {
    async load() {
      const read = async () => {
        const stored = (await database?.read((store) => store.get('ids'))) as Stored | undefined
        if (stored) current = stored
        return stored
      }
      if (await read()) return
      current = { deviceId: newDevice(), anonymousId: newAnonymous() }
      await save(false).catch(read)
    },

    /** Fresh ids for this page alone, when the stored ones cannot be read. */
    assume() {
      if (!current.deviceId) current = { deviceId: newDevice(), anonymousId: newAnonymous() }
      changed(ids())
    },

    ids,

    login(userId: string) {
      if (current.userId && current.userId !== userId) current = { ...current, anonymousId: newAnonymous() }
      if (current.userId !== userId) change({ ...current, userId })
    },

    reset(renewDevice?: boolean) {
      change({ deviceId: renewDevice ? newDevice() : current.deviceId, anonymousId: newAnonymous() })
    },
  }
}
