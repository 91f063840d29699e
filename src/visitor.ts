import { schedule } from './disk'
import { newId, readUserId } from './ids'
import type { Instance } from './instance'
import { recall } from './plugins'
import { isInSession, type Session } from './session'
import { emit } from './signals'
import { tellTabs } from './tabs'
import type { Consent, Ids, Properties } from './types'

type Known = Pick<Ids, 'deviceId' | 'anonymousId' | 'userId'>

/** What all tabs of a browser share, each under its name in the database. */
export interface Settings {
  consent?: Consent | undefined
  ids?: Known | undefined
  session?: Session | undefined
  /** Registered properties. */
  persistent?: Properties | undefined
  /** The last request failed, or the browser said that it is offline; false once the service has answered. */
  down?: boolean | Unheard | undefined
}

/** What a visitor who never had an answer knows of the service: how often they asked in a session, and when the next may. */
export interface Unheard {
  misses: number
  tryAt: number
  session?: string | undefined
}

/** The time of the last event is stored and told no more often than this: a session ends right to a second. */
const shareEveryMs = 1000

const fresh = (known: Partial<Known>): Known => ({
  deviceId: known.deviceId || `device-${newId()}`,
  anonymousId: known.anonymousId || `anonymous-${newId()}`,
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

/** Another tab, or this one, has changed something. */
export const hear = (w: Instance, change: Settings) => {
  const before = w.settings.session
  w.settings = { ...w.settings, ...change }
  w.recent = { ...w.recent, ...change }
  // Ids that were only assumed are nobody's to keep.
  if (change.ids && !w.isAssumed) emit(w, 'identity', readIds(w))
  if (change.session && change.session.id !== before?.id) emit(w, 'session', { id: change.session.id })
}

/** Changes something, on disk with the records of this task, and in all tabs. */
export const set = (w: Instance, change: Settings) => {
  // What a page of before noted is older; but where it was not read, what comes is added to it.
  if (!w.isAssumed && (change.ids || change.persistent)) w.browser.writeNote(w.name, '')
  w.changes = { ...w.changes, ...change }
  schedule(w)
  // What rests on ids that were not read is this page's own.
  if (!w.isAssumed || 'consent' in change) tellTabs(w, { change })
  hear(w, change)
}

/** What the page asks of the visitor's settings. */
const acts = {
  login(w: Instance, userId: string) {
    const known = w.settings.ids?.userId
    // Another user than the last is another visitor.
    if (known && known !== userId) acts.reset(w)
    if (known !== userId) set(w, { ids: { ...w.settings.ids!, userId } })
  },
  reset: (w: Instance, deviceId?: boolean) =>
    set(w, {
      ids: fresh(deviceId ? {} : { deviceId: readIds(w).deviceId }),
      session: begin(w.browser.now()),
      persistent: undefined,
    }),
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

export type Act = [name: keyof typeof acts, given: unknown]

/** Does it, and again when the settings are read, if they were not yet: nothing that was not read is overwritten. */
export const act = (w: Instance, ...[name, given]: Act) => {
  if (w.isAssumed) w.late.push([name, given])
  acts[name](w, given as never)
}

/**
 * What was read holds, but for what is newer. Makes the ids that are missing, and does what was done unread.
 * `isAssumed`: nothing could be read, though there may be something; what is made now gives way to it later.
 */
export const take = (w: Instance, stored: Settings, { late, ...noted }: Note, isAssumed = false) => {
  // What rests on ids that were only assumed is done again, upon those that are stored.
  const again = stored.ids ? [...(late || []), ...w.late] : []
  if (stored.ids && w.isAssumed) w.settings = w.recent = w.changes = {}
  if (stored.ids && late) noted = { consent: noted.consent ?? stored.consent }
  w.isAssumed = isAssumed
  if (!isAssumed) w.late = []
  if (stored.session && stored.session.startedAt >= (noted.session?.startedAt ?? 0)) delete noted.session
  w.settings = { ...w.settings, ...stored, ...noted, ...w.recent }
  // What could not be stored then is stored now.
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
  // Once: who signs out, or wakes up where someone else has signed in, is not signed in again.
  if (w.bootUser) act(w, 'login', w.bootUser)
  w.bootUser = undefined
}

/** Ids for this page, where the stored ones cannot be read in time. */
export const assume = (w: Instance) => {
  if (!w.settings.ids) take(w, {}, readNote(w), true)
}

const begin = (at: number): Session => ({ id: `session-${newId()}`, startedAt: at, lastAt: at })

/** An event of that time begins a session, or is the last of one. */
export const touch = (w: Instance, at: number) => {
  const last = isInSession(w, at) && w.settings.session
  if (last) {
    last.lastAt = Math.max(last.lastAt, at)
    if (Math.abs(at - w.sharedAt!) < shareEveryMs) return
  }
  w.sharedAt = at
  set(w, { session: last ? { ...last } : begin(at) })
}

/** What a page that has left could not be sure to have stored. */
export interface Note extends Settings {
  /** What was done before the settings were read: the rest is only good where there are none. */
  late?: Act[] | false | undefined
}

export const readNote = (w: Instance): Note => {
  try {
    return JSON.parse(w.browser.readNote(w.name))
  } catch {
    // There is none.
    return {}
  }
}

/** A page goes whose last changes may not be stored: WebKit drops what its last task has put. */
export const note = (w: Instance) => {
  if (!w.database || !(w.late[0] || w.changes.ids || w.changes.persistent)) return
  const late = w.isAssumed && [...(readNote(w).late || []), ...w.late]
  w.late = []
  // Null, because undefined is nothing in JSON.
  w.browser.writeNote(
    w.name,
    JSON.stringify({ ...w.changes, late }, (_, value) => value ?? null),
  )
}
