import { newId } from '../browser/newId'
import type { Browser } from '../browser/browser'
import { readUserId } from '../readUserId'
import type { Config, Ids } from '../types'
import type { Settings, Shared } from './createSettings'

type Stored = NonNullable<Settings['ids']>

const none: Stored = { deviceId: '', anonymousId: '' }

/** Holds the ids of this browser. */
export function createIdentity(
  browser: Browser,
  settings: Shared,
  { cookie, bootstrap }: Config,
  cookieName: string,
) {
  let given = readUserId(bootstrap.userId)

  const current = () => settings.values.ids ?? none

  const fresh = (known: Partial<Stored>): Stored => ({
    deviceId: known.deviceId || `device-${newId()}`,
    anonymousId: known.anonymousId || `anonymous-${newId()}`,
  })

  // The cookie holds no more than is needed to find the ids again.
  const readCookie = (): Partial<Stored> => {
    const [deviceId, anonymousId] = cookie ? browser.readCookie(cookieName).split('~') : []
    return deviceId && anonymousId ? { deviceId, anonymousId } : {}
  }
  const writeCookie = (text: string) => cookie && browser.writeCookie(cookieName, text, cookie)
  const keepCookie = () => writeCookie(`${current().deviceId}~${current().anonymousId}`)

  const set = (ids: Stored, more?: Settings) => {
    settings.set({ ids, ...more })
    keepCookie()
  }

  const login = (userId: string) => {
    const known = current().userId
    // Another user than the last is another visitor.
    if (known && known !== userId) reset()
    if (known !== userId) set({ ...current(), userId })
  }

  const reset = (options?: { deviceId?: boolean }) =>
    set(fresh(options?.deviceId ? {} : { deviceId: current().deviceId }), {
      session: undefined,
      memory: undefined,
      persistent: undefined,
      sessional: undefined,
    })

  return {
    /** After the settings were read: makes the ids that are missing, and keeps those that were. */
    async settle(stored: Settings) {
      const { values } = settings
      const found = readCookie()
      if (!stored.ids) await settings.addIds(values.ids ?? fresh({ ...bootstrap, ...found }))
      // Another subdomain has begun anew; a user who is logged in here stays.
      else if (found.anonymousId && found.anonymousId !== stored.ids.anonymousId && !values.ids?.userId)
        settings.set({ ids: fresh(found) })
      // Once: who signs out, or wakes up where someone else has signed in, is not signed in again.
      if (given) login(given)
      given = undefined
      keepCookie()
    },
    /** Ids for this page, where the stored ones cannot be read in time. */
    assume() {
      if (!settings.values.ids) settings.assume(fresh({ ...bootstrap, ...readCookie() }))
    },
    forget: () => writeCookie(''),
    ids: (): Ids => {
      const { deviceId, anonymousId, userId } = current()
      const sessionId = settings.values.session?.id ?? ''
      return { deviceId, anonymousId, distinctId: userId ?? anonymousId, userId, sessionId }
    },
    login,
    reset,
  }
}
