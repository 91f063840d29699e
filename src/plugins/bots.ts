import type { Plugin } from '../core/types'
import { knownBots } from './knownBots'

export interface BotOptions {
  /** User agents that count as bots, besides those known. @defaultValue none */
  also?: RegExp
  /** Browsers that a program drives (`navigator.webdriver`) are bots, too. @defaultValue `true` */
  driven?: boolean
  /**
   * Marks the events of bots by `$device_type: 'bot'` instead of dropping them. The service then has `automation`
   * in their column `bot`. @defaultValue `false`
   */
  mark?: boolean
}

/** Drops, or marks, everything that is called in the browser of a known bot. */
export function bots({ also, driven = true, mark }: BotOptions = {}): Plugin {
  return {
    name: 'bots',
    beforeSend(draft) {
      const { userAgent, webdriver } = navigator
      if (!(knownBots.test(userAgent) || also?.test(userAgent) || (driven && webdriver))) return draft
      if (!mark) return null
      if (draft.properties) draft.properties['$device_type'] = 'bot'
      return draft
    },
  }
}
