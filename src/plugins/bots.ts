import type { Plugin } from '../types'

export interface BotOptions {
  /** User agents that count as bots, besides those known. @defaultValue none */
  also?: RegExp
  /** Browsers that a program drives (`navigator.webdriver`) are bots, too. @defaultValue `true` */
  driven?: boolean
}

// "cubot" is a telephone.
const known =
  /(?<!cu)bot\b|bot[/;-]|crawl|spider|slurp|headless|lighthouse|pagespeed|phantomjs|facebookexternalhit|bingpreview|mediapartners|gtmetrix|pingdom|uptime|archiver|curl\/|wget\/|python-|scrapy/i

/** Drops everything that is called in the browser of a known bot. */
export function bots({ also, driven = true }: BotOptions = {}): Plugin {
  return {
    name: 'bots',
    beforeSend(draft) {
      const { userAgent, webdriver } = navigator
      return known.test(userAgent) || also?.test(userAgent) || (driven && webdriver) ? null : draft
    },
  }
}
