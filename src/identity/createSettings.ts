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
  changed: (change: Settings, before: Settings) => void,
  /** Has `take` called at the end of this task. */
  schedule: () => void,
) {
  let pending: Settings = {}
  /** What has changed since the read under way was asked for, and is newer than what it finds. */
  let recent: Settings = {}
  let reading: Promise<Settings> | undefined
  /** Nothing touches the disk before consent. */
  let isStored = false

  const read = async (): Promise<Settings> => {
    const since: Settings = (recent = { ...pending })
    // Each under its name, and with it, so that one request reads them all; arrays, the queue's keys, sort above.
    const stored: Settings = Object.fromEntries(await database!.read((store) => store.getAll(range('', []))))
    // Everything was forgotten meanwhile.
    if (since !== recent) return read()
    const { ids, memory } = settings.values
    settings.values = { ids, ...stored, memory, ...since }
    return stored
  }

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
      const before = settings.values
      settings.values = { ...before, ...change }
      Object.assign(recent, change)
      changed(change, before)
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

    /** Reads what is stored, and resolves to it; from now on changes are stored. */
    async load(): Promise<Settings> {
      if (!database) return {}
      isStored = true
      return (reading ??= read().finally(() => (reading = undefined)))
    },

    /** Sets the ids, unless another tab has before. */
    async addIds(ids: Settings['ids']) {
      settings.assume(ids)
      if (isStored) await database!.write((store) => void store.add(['ids', ids], 'ids')).catch(settings.load)
    },

    /** Ids that hold unless better ones are read. */
    assume(ids: Settings['ids']) {
      settings.values.ids = ids
    },

    /** Forgets everything, on disk too; a refusal that was chosen is remembered. */
    wipe(isChosen: boolean) {
      settings.values = {}
      pending = {}
      recent = {}
      if (!isChosen && !isStored) return
      database
        ?.write((store) => {
          store.clear()
          if (isChosen) store.put(['consent', 'denied'], 'consent')
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
