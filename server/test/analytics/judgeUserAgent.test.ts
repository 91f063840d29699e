import { describe, expect, it } from 'vitest'
import { judgeSender, judgeUserAgent } from '../../src/analytics/userAgents.js'

const browser = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko)'

describe('the verdict on a user agent', () => {
  it.each([
    [`${browser}; compatible; GPTBot/1.2; +https://openai.com/gptbot`, 'AI crawler GPTBot'],
    [`${browser}; compatible; ChatGPT-User/1.0`, 'AI crawler ChatGPT-User'],
    ['Mozilla/5.0 (compatible; bytespider; spider@example.com)', 'AI crawler Bytespider'],
    ['meta-externalagent/1.1', 'AI crawler meta-externalagent'],
    ['Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', 'crawler Googlebot'],
    ['Mozilla/5.0 (X11; Linux x86_64) HeadlessChrome/142.0.0.0 Safari/537.36', 'automation'],
    ['curl/8.5.0', 'crawler'],
    [`${browser} Chrome/142.0 Safari/537.36`, undefined],
    ['Mozilla/5.0 (Linux; Android 9; CUBOT_X19) AppleWebKit/537.36 Chrome/142.0 Mobile', undefined],
    ['', undefined],
  ])('of %s is %s', (userAgent, verdict) => {
    expect(judgeUserAgent(userAgent)).toBe(verdict)
    expect(judgeUserAgent(userAgent)).toBe(verdict)
  })

  it('stays right for user agents that are longer, and more, than are remembered', () => {
    expect(judgeUserAgent(`${browser} Googlebot/2.1 ${'x'.repeat(5000)}`)).toBe('crawler Googlebot')
    for (let n = 0; n < 10_001; n++) judgeUserAgent(`${browser} Chrome/${n}`)
    expect(judgeUserAgent('Mozilla/5.0 (compatible; bingbot/2.0)')).toBe('crawler bingbot')
  })
})

describe('the verdict on who sends a request', () => {
  it.each(['python-requests/2.32', 'curl/8.5.0', 'node', 'axios/1.6', 'Go-http-client/1.1', undefined])(
    'is none for a server that sends what people did: %s',
    (userAgent) => expect(judgeSender(userAgent)).toBeUndefined(),
  )

  it.each([
    ['CCBot/2.0 (https://commoncrawl.org/faq/)', 'AI crawler CCBot'],
    ['examplebot/1.0', 'crawler examplebot'],
    ['Mozilla/5.0 (Linux; Android 11) Chrome/109.0 Mobile Safari/537.36 Chrome-Lighthouse', 'crawler'],
  ])('is that on a crawler: %s', (userAgent, verdict) => expect(judgeSender(userAgent)).toBe(verdict))
})
