import { range, type Database } from '../browser/openDatabase'
import type { Consent, Ids, Properties } from '../types'

export interface Session {
  id: string
  startedAt: number
  /** When the last event was tracked. */
  lastAt: number
}

/** What all tabs of a browser share, each under its name in the database; but `memory`, which is only heard. */
export interface Settings {
  consent?: Consent | undefined
  ids?: Pick<Ids, 'deviceId' | 'anonymousId' | 'userId'> | undefined
  session?: Session | undefined
  /** Registered properties: for this page alone, for ever, and for the session that they name. */
  memory?: Properties | undefined
  persistent?: Properties | undefined
  sessional?: { id: string; properties: Properties } | undefined
  /** The last request failed. */
  down?: true | undefined
}

export type Shared = ReturnType<typeof createSettings>

/**
 * A few values that outlive the page and that every tab agrees on: each change is put on disk and told to the other
 * tabs, and each write only puts, because one that reads first could be open when the page goes.
 */
export function createSettings(
  database: Database | undefined,
  tell: (change: Settings) => void,
  changed: (change: Settings) => void,
  /** Has `take` called at the end of this task. */
  schedule: () => void,
) {
  let pending: Settings = {}
  /** Nothing touches the disk before consent. */
  let isStored = false

  const settings = {
    /** What holds now. */
    values: {} as Settings,

    set(change: Settings) {
      if (isStored) {
        Object.assign(pending, change)
        schedule()
      }
      tell(change)
      settings.hear(change)
    },

    /** Another tab has changed something. */
    hear(change: Settings) {
      Object.assign(settings.values, change)
      changed(change)
    },

    /**
     * What has to be stored. It goes into the transaction of the records of this task: one more transaction in the
     * last task of a page is one that the browser may abort.
     */
    take(): Settings {
      const taken = pending
      pending = {}
      return taken
    },

    /** Reads what is stored; from now on changes are stored. */
    async load() {
      if (!database) return
      isStored = true
      // Each under its name, and with it, so that one request reads them all; arrays, the queue's keys, sort above.
      const stored = await database.read((store) => store.getAll(range('', [])))
      const { ids, memory } = settings.values
      // What has changed and is not stored yet is newer.
      settings.values = { ids, memory, ...Object.fromEntries(stored), ...pending }
    },

    /** Sets the ids, unless another tab has before. */
    async addIds(ids: Settings['ids']) {
      settings.values.ids = ids
      if (isStored) await database!.write((store) => void store.add(['ids', ids], 'ids')).catch(settings.load)
    },

    /** Forgets everything, on disk too; a refusal that was chosen is remembered. */
    wipe(isChoice: boolean) {
      settings.values = {}
      pending = {}
      if (isChoice) tell({ consent: 'denied' })
      if (!isChoice && !isStored) return
      database
        ?.write((store) => {
          store.clear()
          store.put(['consent', 'denied'], 'consent')
        })
        .catch(() => {})
    },

    /** Nothing is stored from here on, until the next `load`. */
    hold() {
      isStored = false
    },
  }
  return settings
}
