import { newId } from '../browser/newId'
import type { Browser } from '../browser/browser'
import type { Config, Ids } from '../types'
import type { Settings, Shared } from './createSettings'

type Stored = NonNullable<Settings['ids']>

const none: Stored = { deviceId: '', anonymousId: '' }
const newAnonymous = () => `anonymous-${newId()}`

/** Holds the ids of this browser. */
export function createIdentity(browser: Browser, settings: Shared, config: Config, cookieName: string) {
  const current = () => settings.get('ids') ?? none

  const fresh = (known: Partial<Stored> = {}): Stored => ({
    deviceId: known.deviceId || `device-${newId()}`,
    anonymousId: known.anonymousId || newAnonymous(),
  })

  // The cookie holds no more than is needed to find the ids again.
  const readCookie = (): Partial<Stored> => {
    const [deviceId, anonymousId] = config.cookie ? browser.readCookie(cookieName).split('~') : []
    return deviceId && anonymousId ? { deviceId, anonymousId } : {}
  }
  const writeCookie = () => {
    const { deviceId, anonymousId } = current()
    if (config.cookie) browser.writeCookie(cookieName, `${deviceId}~${anonymousId}`, config.cookie)
  }

  const set = (ids: Stored, more: Settings = {}) => {
    settings.set({ ids, ...more })
    writeCookie()
  }

  const login = (userId: string) => {
    const ids = current()
    // Another user than the last is another visitor.
    if (ids.userId && ids.userId !== userId) reset()
    if (ids.userId !== userId) set({ ...current(), userId })
  }

  const reset = (renewDevice?: boolean) =>
    set(fresh(renewDevice ? {} : { deviceId: current().deviceId }), {
      session: undefined,
      persistent: undefined,
      sessional: undefined,
    })

  return {
    /** After the settings were read, or could not be: makes the ids that are missing. */
    async settle() {
      const cookie = readCookie()
      const stored = settings.get('ids')
      if (!stored) await settings.addIds(fresh({ ...config.bootstrap, ...cookie }))
      // Another subdomain has begun anew; a user who is logged in here stays.
      else if (cookie.anonymousId && !stored.userId) settings.set({ ids: fresh(cookie) })
      if (config.bootstrap.userId) login(config.bootstrap.userId)
      writeCookie()
    },
    /** Ids for this page, where the stored ones cannot be read in time. */
    assume() {
      if (!settings.get('ids')) settings.hear({ ids: fresh({ ...config.bootstrap, ...readCookie() }) })
    },
    forget: () => config.cookie && browser.writeCookie(cookieName, '', config.cookie),
    ids: (): Ids => {
      const ids = current()
      return {
        ...ids,
        distinctId: ids.userId ?? ids.anonymousId,
        sessionId: settings.get('session')?.id ?? '',
      }
    },
    login,
    reset,
  }
}
