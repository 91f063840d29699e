// @vitest-environment happy-dom
import { afterEach, describe, expect, it, vi } from 'vitest'
import { bots, type BotOptions } from '../../src/plugins/bots'
import type { Draft } from '../../src/core/types'

afterEach(() => vi.unstubAllGlobals())

const passes = (userAgent: string, options?: BotOptions, webdriver = false) => {
  vi.stubGlobal('navigator', { userAgent, webdriver })
  const draft: Draft = { kind: 'identify', userId: 'ann' }
  return bots(options).beforeSend!(draft) === draft
}
const chrome =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36'

describe('bots', () => {
  it.each([
    'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
    'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)',
    'Mozilla/5.0 AppleWebKit/537.36; compatible; GPTBot/1.2; +https://openai.com/gptbot',
    'facebookexternalhit/1.1',
    'Mozilla/5.0 (compatible; YandexBot/3.0)',
    'Mozilla/5.0 (compatible; Baiduspider/2.0)',
    chrome.replace('Chrome', 'HeadlessChrome'),
    `${chrome} Chrome-Lighthouse`,
    'curl/8.5.0',
  ])('drops everything of %s', (agent) => expect(passes(agent)).toBe(false))

  it.each([
    chrome,
    'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 Version/19.0 Mobile/15E148 Safari/604.1',
    'Mozilla/5.0 (Linux; Android 12; CUBOT X30) AppleWebKit/537.36 Chrome/150.0.0.0 Mobile Safari/537.36',
    'Mozilla/5.0 (Linux; Android 12; CUBOT) AppleWebKit/537.36 Chrome/150.0.0.0 Mobile Safari/537.36',
    'Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0',
  ])('lets a visitor through: %s', (agent) => expect(passes(agent)).toBe(true))

  it('drops browsers that a program drives, unless told not to', () => {
    expect(passes(chrome, {}, true)).toBe(false)
    expect(passes(chrome, { driven: false }, true)).toBe(true)
  })

  it('marks the events of bots instead of dropping them when it is told to', () => {
    const propertiesIn = (webdriver: boolean) => {
      vi.stubGlobal('navigator', { userAgent: chrome, webdriver })
      const draft: Draft = { kind: 'track', event: 'Read', properties: { page: 1 } }
      return (bots({ mark: true }).beforeSend!(draft) as Draft).properties
    }
    expect(propertiesIn(true)).toEqual({ page: 1, $device_type: 'bot' })
    expect(propertiesIn(false)).toEqual({ page: 1 })
    expect(passes('curl/8.5.0', { mark: true })).toBe(true)
  })

  it('drops what its user names besides', () => {
    expect(passes(`${chrome} OurMonitor`, { also: /OurMonitor/ })).toBe(false)
  })
})
