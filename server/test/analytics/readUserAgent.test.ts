import { expect, it } from 'vitest'
import { readUserAgent } from '../../src/analytics/userAgents.js'

const windows =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36'
const android = 'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko)'
const iphone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)'

it.each([
  [windows, 'Chrome', 'Windows', 'desktop'],
  [`${windows} Edg/142.0.0.0`, 'Edge', 'Windows', 'desktop'],
  [`${windows} OPR/126.0.0.0`, 'Opera', 'Windows', 'desktop'],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:145.0) Gecko/20100101 Firefox/145.0',
    'Firefox',
    'macOS',
    'desktop',
  ],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15',
    'Safari',
    'macOS',
    'desktop',
  ],
  [
    'Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
    'Chrome',
    'Chrome OS',
    'desktop',
  ],
  [`${android} Chrome/142.0.0.0 Mobile Safari/537.36`, 'Chrome', 'Android', 'phone'],
  [`${android} Chrome/142.0.0.0 Safari/537.36`, 'Chrome', 'Android', 'tablet'],
  [
    `${android} SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36`,
    'Samsung Internet',
    'Android',
    'phone',
  ],
  [`${iphone} Version/18.1 Mobile/15E148 Safari/604.1`, 'Safari', 'iOS', 'phone'],
  [`${iphone} CriOS/142.0.0.0 Mobile/15E148 Safari/604.1`, 'Chrome', 'iOS', 'phone'],
  [`${iphone} FxiOS/145.0 Mobile/15E148 Safari/605.1.15`, 'Firefox', 'iOS', 'phone'],
])('reads %s', (userAgent, browser, os, device) => {
  expect(readUserAgent(userAgent)).toEqual({ browser, os, device })
})

it('takes the brand from the hints where the user agent hides it', () => {
  const brands = [
    { brand: 'Chromium', version: '142' },
    { brand: 'Brave', version: '142' },
  ]
  expect(readUserAgent(windows, { brands }).browser).toBe('Brave')
})

it.each([
  'node',
  'curl/8.5.0',
  'python-requests/2.32',
  'okhttp/4.9',
  'Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)',
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Googlebot/2.1) Chrome/142.0 Safari/537.36',
  'Mozilla/5.0',
  '',
])('reads nothing of a server or a bot: %s', (userAgent) => {
  expect(readUserAgent(userAgent)).toEqual({})
})

it('reads a very long text as quickly as its beginning', () => {
  expect(readUserAgent(`${windows}${' x'.repeat(8000)}`)).toEqual(readUserAgent(windows))
})
