import { type ClientHints, parse } from 'bowser'
import { isbot } from 'isbot'

/** The names in the user agents of programs that read pages for a language model, or for somebody who asks one. */
const aiCrawlers = [
  'GPTBot',
  'OAI-SearchBot',
  'ChatGPT-User',
  'ClaudeBot',
  'Claude-SearchBot',
  'Claude-User',
  'anthropic-ai',
  'PerplexityBot',
  'Perplexity-User',
  'Google-Extended',
  'Google-CloudVertexBot',
  'Applebot-Extended',
  'meta-externalagent',
  'meta-externalfetcher',
  'Amazonbot',
  'Bytespider',
  'CCBot',
  'MistralAI-User',
  'DuckAssistBot',
  'cohere-ai',
  'Diffbot',
  'YouBot',
] as const

const aiCrawler = new RegExp(aiCrawlers.join('|'), 'i')
const driven = /headless|phantomjs|puppeteer|playwright|selenium|webdriver|cypress/i
const ownName = /[\w.-]{0,30}(?:bot|crawler|spider)[\w.-]{0,30}/i

export const automation = 'automation'

const maxLength = 500
const maxKnown = 10_000
const known = new Map<string, string | undefined>()

const judge = (userAgent: string): string | undefined => {
  const named = aiCrawler.exec(userAgent)?.[0]
  if (named !== undefined) {
    return `AI crawler ${aiCrawlers.find((name) => name.toLowerCase() === named.toLowerCase())}`
  }
  if (driven.test(userAgent)) return automation
  if (!isbot(userAgent)) return undefined
  return ['crawler', ...(ownName.exec(userAgent) ?? [])].join(' ')
}

/** The kind of bot that has this user agent; undefined for a person's browser. */
export const judgeUserAgent = (userAgent: string): string | undefined => {
  if (userAgent.length > maxLength) return judge(userAgent.slice(0, maxLength))
  if (!known.has(userAgent)) {
    if (known.size === maxKnown) known.clear()
    known.set(userAgent, judge(userAgent))
  }
  return known.get(userAgent)
}

/**
 * The kind of bot that sent a request; undefined for a browser or a server. A program that calls itself neither a
 * browser nor a crawler, such as `python-requests/2.32`, counts as a server that sends what people did.
 */
export const judgeSender = (userAgent: string | undefined): string | undefined => {
  if (userAgent === undefined) return undefined
  const verdict = judgeUserAgent(userAgent)
  return verdict === 'crawler' && !userAgent.startsWith('Mozilla/') ? undefined : verdict
}

/** What a browser says of itself. */
interface Agent {
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
