import { canWriteSettings, isAnonymous, isAway, visitorStates, type Instance } from './instance'
import type { Settings } from './settings'
import { emit } from './signals'

// Mirrors memory in one database: what changes in a task is put or deleted in one transaction, in its microtask. One
// transaction an event costs ten times as much; a timer or an idle callback loses a third when the page goes.
//
// Settings lie under strings, each with its name, so that one request reads them all; event records under arrays, which
// sort above: `[queue, sequence, payloads, origin]` → kind and bodies, a line each.

/** How long a page does without IndexedDB before it tries again. */
const retryAfterMs = 30_000

/** All keys from `lower` to `upper`, both included. */
export const range = (lower: IDBValidKey, upper: IDBValidKey) => IDBKeyRange.bound(lower, upper)

export const works = (w: Instance) => w.brokenUntil < w.browser.now() && !isAnonymous(w)

/** Zero is for a database that works. */
const setBrokenUntil = (w: Instance, until: number) => {
  const wasWorking = !w.brokenUntil
  w.brokenUntil = until
  if (wasWorking !== !until) emit(w, 'storage', { store: until ? 'memory' : 'indexeddb' })
}

/** Gives IndexedDB up for a while. */
export const suspect = (w: Instance) => setBrokenUntil(w, w.browser.now() + retryAfterMs)

/** Has all that this task changes saved at its end. */
export const schedule = (w: Instance) => {
  // A page that goes has no microtask to come.
  if (w.pageState === 'leaving') return save(w, true)
  if (isAway(w)) return saveNow(w)
  if (w.isSaving) return
  w.isSaving = true
  w.browser.soon(() => {
    w.isSaving = false
    saveNow(w)
  })
}

const saveNow = (w: Instance) => {
  save(w)
  // A page that goes begins no read: one that nobody ends hangs the database for the next page in WebKit.
  if (w.visitorState === visitorStates.memory && works(w) && !isAway(w)) emit(w, 'works')
  emit(w, 'changed')
}

/**
 * Writes what has changed, in a transaction of its own or in the one that `run` runs: puts each record that has items, and
 * deletes each that has none. A page that goes writes its deletes first, alone: WebKit keeps those and drops puts.
 */
export const save = (
  w: Instance,
  onlyDeletes?: boolean,
  run = (work: (store: IDBObjectStore) => void) => w.database!.transact('put', work),
) => {
  const records = [...w.dirty].filter((record) => !(onlyDeletes && record.items[0]))
  const settings = canWriteSettings(w) && !onlyDeletes ? w.changes : {}
  if (!works(w) || !(records.length || Object.keys(settings).length)) return
  for (const record of records) w.dirty.delete(record)
  const put = records.filter((record) => record.items[0])
  for (const record of put) record.isPut = true
  w.saving = run((store) => {
    for (const [name, value] of Object.entries(settings)) store.put([name, value], name)
    const gone = records
      .filter((record) => !record.items[0])
      .map((record) => record.key)
      .sort((a, b) => a[1] - b[1])
    const last = gone.at(-1)
    // A request costs the page as much as an event: one for a whole batch, where nothing else lies in between.
    if (last && !w.isMixed && !(w.records[0] && w.records[0].key[1] < last[1]))
      store.delete(range(gone[0]!, last))
    else for (const key of gone) store.delete(key)
    for (const { kind, key, items } of records)
      if (items[0]) store.put([kind, ...items.map((payload) => payload.body)].join('\n'), key)
  }).then(
    () => {
      for (const record of put) record.isStored = true
      if (w.changes === settings) w.changes = {}
      w.isFull = false
      setBrokenUntil(w, 0)
    },
    (error) => {
      for (const record of records) {
        // One that was put, and that the page has let go of meanwhile, is none to delete.
        if (!put.includes(record) || record.items[0]) w.dirty.add(record)
        record.isPut = record.isStored
      }
      if (error?.name !== 'QuotaExceededError' || w.isFull) return suspect(w)
      w.isFull = true
      emit(w, 'full')
    },
  )
}

/**
 * Reads the settings, and saves in the same transaction what `use` makes of them. Tabs that do so at the same time
 * therefore agree. Rejects where there is no database.
 */
export const load = (w: Instance, use: (stored: Settings, store: IDBObjectStore) => void) => {
  const loading = w.database!.transact('readwrite', (store, commit) => {
    const found = store.getAll(range('', []))
    found.onsuccess = () => {
      setBrokenUntil(w, 0)
      use(Object.fromEntries(found.result), store)
      save(w, false, (work) => {
        work(store)
        return loading
      })
      commit()
    }
  })
  return loading
}

/** Forgets the visitor, in memory. */
export const forget = (w: Instance) => {
  w.settings = w.recent = w.changes = {}
  w.unmerged = undefined
  w.dirty.clear()
}

/** Removes everything from the disk but a refusal that was chosen. */
export const wipeIn = (store: IDBObjectStore | undefined, isChosen: boolean) => {
  store?.clear()
  if (isChosen) store?.put(['consent', 'denied'], 'consent')
}

/** Wipes in a transaction of its own. Never rejects: where there is no database, nothing was kept. */
export const wipe = async (w: Instance) => {
  await w.database?.transact('put', (store) => wipeIn(store, true)).catch(() => {})
}
