import { schedule } from './disk'
import { newId, readUserId } from './ids'
import { maybe } from './maybe'
import { isAnonymous, type Instance } from './instance'
import type { Act, Session, Settings, StoredIds } from './settings'
import { recall } from './plugins'
import { isInSession } from './session'
import { emit } from './signals'
import { tellTabs } from './tabs'
import type { Ids, Properties } from './types'

/** The time of the last event is stored and told no more often than this: a session ends right to a second. */
const shareEveryMs = 1000

const fresh = (known: Partial<StoredIds>): StoredIds => ({
  deviceId: known.deviceId || 'device-' + newId(),
  anonymousId: known.anonymousId || 'anonymous-' + newId(),
})

export const readIds = (w: Instance): Ids => {
  const { deviceId = '', anonymousId = '', userId } = w.settings.ids ?? {}
  return {
    deviceId,
    anonymousId,
    distinctId: userId ?? anonymousId,
    userId,
    sessionId: w.settings.session?.id ?? '',
  }
}

/** Takes over what another tab, or this one, has changed. */
export const applyChange = (w: Instance, change: Settings) => {
  const before = w.settings.session
  w.settings = { ...w.settings, ...change }
  w.recent = { ...w.recent, ...change }
  // Assumed ids are told to nobody, who could keep them.
  if (change.ids && !w.unmerged) emit(w, 'identity', readIds(w))
  if (change.session && change.session.id !== before?.id) emit(w, 'session', { id: change.session.id })
}

/** Changes something, on disk with the records of this task, and in all tabs. */
export const set = (w: Instance, change: Settings) => {
  w.changes = { ...w.changes, ...change }
  // The note of an earlier page is older than this change, unless nothing could be read: then this page adds to the note.
  if (!w.unmerged && (change.ids || change.persistent)) w.browser.writeNote(w.storeName, '')
  schedule(w)
  // Changes under assumed ids concern this page alone.
  if (!w.unmerged) tellTabs(w, { change })
  applyChange(w, change)
  // A page that goes has made its note before.
  if (w.pageState === 'away') note(w)
}

/** What a page may do to the visitor's settings. */
const acts = {
  login(w: Instance, userId: string) {
    const known = w.settings.ids?.userId
    // A user other than the last one is another visitor.
    if (known && known !== userId) acts.reset(w)
    if (known !== userId) set(w, { ids: { ...w.settings.ids!, userId } })
  },
  reset(w: Instance, deviceId?: boolean) {
    const ids = fresh(deviceId ? {} : { deviceId: readIds(w).deviceId })
    set(w, { ids, session: begin(w.browser.now(), ids), persistent: undefined })
  },
  register: (w: Instance, properties: Properties) =>
    set(w, { persistent: { ...w.settings.persistent, ...properties } }),
  registerOnce: (w: Instance, properties: Properties) =>
    acts.register(w, { ...properties, ...w.settings.persistent }),
  unregister(w: Instance, names: string[]) {
    const persistent = { ...w.settings.persistent }
    for (const name of names) delete persistent[name]
    set(w, { persistent })
  },
}

/** Does something now and, under assumed ids, once more when the stored ones are read: nothing unread is overwritten. */
export const act = (w: Instance, ...[name, given]: Act) => {
  w.unmerged?.push([name, given])
  acts[name](w, given as never)
}

/**
 * Merges what was read with what is newer, makes the ids that are missing, and repeats what was done under assumed ids.
 * `isAssumed`: nothing could be read, though there may be something; ids made now give way to it later.
 */
export const mergeStored = (w: Instance, stored: Settings, { late, ...noted }: Note, isAssumed = false) => {
  const again = stored.ids ? [...(late || []), ...(w.unmerged ?? [])] : []
  if (stored.ids && w.unmerged) w.settings = w.recent = w.changes = {}
  if (stored.ids && late) noted = { consent: noted.consent ?? stored.consent }
  w.unmerged = isAssumed ? (w.unmerged ?? []) : undefined
  if (stored.session && stored.session.lastAt >= (noted.session?.lastAt ?? 0)) delete noted.session
  w.settings = { ...w.settings, ...stored, ...noted, ...w.recent }
  // Stores now what an earlier page could only note.
  w.changes = { ...w.changes, ...noted }
  const found = recall(w, stored.ids ?? {})
  if (found || !stored.ids)
    set(w, {
      ids: {
        ...fresh(found ?? w.settings.ids ?? w.config.bootstrap),
        userId: w.settings.ids?.userId ?? readUserId(found?.userId),
      },
    })
  for (const one of again) act(w, ...one)
  // A server's user signs in once: who signs out, or wakes up where someone else has signed in, stays so.
  if (w.bootUser) act(w, 'login', w.bootUser)
  w.bootUser = undefined
}

/** Makes ids for this page, where the stored ones cannot be read in time. */
export const assume = (w: Instance) => {
  if (!w.settings.ids && !isAnonymous(w)) mergeStored(w, {}, readNote(w), true)
}

const begin = (at: number, ids?: StoredIds): Session => ({
  id: 'session-' + newId(),
  startedAt: at,
  lastAt: at,
  of: ids?.anonymousId,
})

/** Begins a session by an event of that time, or makes the event the last one of its session. */
export const touch = (w: Instance, at: number) => {
  const last = isInSession(w, at) && w.settings.session
  if (last) {
    last.lastAt = Math.max(last.lastAt, at)
    if (Math.abs(at - w.sharedAt!) < shareEveryMs) return
  }
  w.sharedAt = at
  set(w, { session: last ? { ...last } : begin(at, w.settings.ids) })
}

/** What a page that has left could not be sure to have stored, as it lies in localStorage. */
export interface Note extends Settings {
  /** What was done under assumed ids: where there are stored ones, all else in the note counts for nothing. */
  late?: Act[] | null | undefined
}

export const readNote = (w: Instance): Note =>
  maybe(() => JSON.parse(w.browser.readNote(w.storeName)) as Note) ?? {}

/** Notes the last changes of a page that goes: they may not be stored, because WebKit drops what its last task has put. */
export const note = (w: Instance) => {
  const { ids, persistent, session } = w.changes
  const isNew = session && session.lastAt - session.startedAt < shareEveryMs
  if (!w.database || !(ids || persistent || isNew)) return
  const late = w.unmerged && [...(readNote(w).late || []), ...w.unmerged]
  if (late) w.unmerged = []
  // JSON leaves undefined out, so a property that was taken away is null.
  w.browser.writeNote(
    w.storeName,
    JSON.stringify({ ...w.changes, late }, function (this: Properties, name) {
      return this[name] ?? null
    }),
  )
}
