import { newId } from '../browser/newId'
import type { Browser } from '../browser/browser'
import type { Config } from '../types'
import type { Shared } from './createSettings'

/** How often the time of the last event is stored and told to other tabs. */
const shareEveryMs = 10_000

/** Clocks are set back by seconds all day; by more, someone has changed the time. */
const clockSlackMs = 60_000

/** Returns the id of the session that an event of now belongs to: of this tab and all others. */
export function createSession(browser: Browser, settings: Shared, { idleMs, maxMs }: Config['session']) {
  let sharedAt = 0
  return (): string => {
    const now = browser.now()
    const last = settings.values.session
    const goesOn =
      last && now - last.lastAt < idleMs && now - last.startedAt < maxMs && now > last.lastAt - clockSlackMs
    const session = goesOn ? last : { id: `session-${newId()}`, startedAt: now, lastAt: now }
    session.lastAt = now
    if (!goesOn || Math.abs(now - sharedAt) > shareEveryMs) {
      sharedAt = now
      settings.set({ session: { ...session } })
    }
    return session.id
  }
}
