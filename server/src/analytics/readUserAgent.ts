import { type ClientHints, parse } from 'bowser'

/** What a browser says of itself. */
export interface Agent {
  browser?: string
  os?: string
  device?: string
}

/** Names that differ from those of the library: shorter, and in the words of the docs. */
const renamed: Readonly<Record<string, string>> = {
  'Microsoft Edge': 'Edge',
  'Samsung Internet for Android': 'Samsung Internet',
  mobile: 'phone',
}

/** All browsers call themselves so, and no program that sends what others did. */
const browserStart = /^(?:Mozilla|Opera)\/\d/
const maxLength = 500

export const isBrowser = (userAgent: string): boolean => browserStart.test(userAgent)

/**
 * Reads browser, system and kind of device out of a user agent, and out of the hints that come with a request. Nothing
 * is read of a program that is no browser, or of a bot.
 */
export const readUserAgent = (userAgent: string, hints?: ClientHints): Agent => {
  if (!isBrowser(userAgent)) return {}
  const { browser, os, platform } = parse(userAgent.slice(0, maxLength), hints)
  if (platform.type === 'bot') return {}
  // The library knows the kind of all computers but this one.
  const device = os.name === 'Chrome OS' ? 'desktop' : platform.type
  const given = Object.entries({ browser: browser.name, os: os.name, device }).flatMap(([name, value]) =>
    value ? [[name, renamed[value] ?? value]] : [],
  )
  return Object.fromEntries(given) as Agent
}
