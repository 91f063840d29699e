import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { createSenderReader } from '../../src/analytics/createSenderReader.js'

const chrome =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0 Safari/537.36'
const bodyOf = (zone?: string) => Buffer.from(JSON.stringify([{ properties: { browser_time_zone: zone } }]))
const linux = { browser: 'Chrome', os: 'Linux', device: 'desktop' }

const reader = createSenderReader()
const read = (headers: Record<string, string>, body = bodyOf(), readSender = reader) => {
  const text = readSender({ headers } as unknown as IncomingMessage, body)
  return text === undefined ? undefined : (JSON.parse(text) as unknown)
}

describe('what a request says of its sender', () => {
  it('is browser, system and device', () => {
    expect(read({ 'user-agent': chrome })).toEqual(linux)
  })

  it('is a brand that only the hints name', () => {
    const hints = '"Brave";v="142", "Chromium";v="142", "Not_A Brand";v="99"'
    expect(read({ 'user-agent': chrome, 'sec-ch-ua': hints })).toEqual({ ...linux, browser: 'Brave' })
  })

  it.each([
    ['de-AT,de;q=0.9,en;q=0.8', 'de-AT'],
    ['EN-us', 'en-US'],
    ['zh-Hant-TW;q=1', 'zh-Hant-TW'],
    ['es-419,es', 'es-419'],
    ['fr', 'fr'],
    ['de-DE-1996', 'de-DE'],
    ['*', undefined],
    ['x-private', undefined],
    ['i', undefined],
    ['', undefined],
    [`<script>${'x'.repeat(9000)}`, undefined],
  ])('is the first language of %s', (languages, language) => {
    expect(read({ 'user-agent': chrome, 'accept-language': languages })).toEqual({ ...linux, language })
  })

  it('is the country of the time zone that its events name', () => {
    expect(read({ 'user-agent': chrome }, bodyOf('Europe/Vienna'))).toEqual({ ...linux, country: 'AT' })
    expect(read({ 'user-agent': chrome }, bodyOf('Asia/Tokyo'))).toEqual({ ...linux, country: 'JP' })
    expect(read({ 'user-agent': chrome }, bodyOf('UTC'))).toEqual(linux)
  })

  it('is no country of a text that only looks like the property, nor of one that has no end', () => {
    const text = JSON.stringify([{ properties: { note: '"browser_time_zone":"Asia/Tokyo"' } }])
    for (const body of [text, `[{"properties":{"browser_time_zone":"Asia/Tokyo${'x'.repeat(100)}`]) {
      expect(read({ 'user-agent': chrome }, Buffer.from(body))).toEqual(linux)
    }
  })

  it('is the country of the address before that of the time zone', () => {
    const readSender = createSenderReader(({ headers }) => headers['x-test-country']?.toString())
    const zone = bodyOf('Europe/Vienna')
    expect(read({ 'user-agent': chrome, 'x-test-country': 'NL' }, zone, readSender)).toEqual({
      ...linux,
      country: 'NL',
    })
    expect(read({ 'user-agent': chrome }, zone, readSender)).toEqual({ ...linux, country: 'AT' })
  })

  it.each(['node', 'python-requests/2.32', undefined])('is nothing for a server: %s', (userAgent) => {
    const headers = { 'accept-language': 'de', ...(userAgent && { 'user-agent': userAgent }) }
    const anywhere = createSenderReader(() => 'NL')
    expect(read(headers, bodyOf('Europe/Vienna'), anywhere)).toBeUndefined()
  })

  it('is that it is a bot', () => {
    const gptbot = 'Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)'
    expect(read({ 'user-agent': gptbot })).toEqual({ bot: 'AI crawler GPTBot' })
    expect(read({ 'user-agent': 'CCBot/2.0', 'accept-language': 'de' })).toEqual({ bot: 'AI crawler CCBot' })
  })

  it('stays right for more senders than are remembered', () => {
    const readSender = createSenderReader()
    for (let n = 0; n < 10_001; n++) read({ 'user-agent': `CCBot/${n}` }, bodyOf(), readSender)
    expect(read({ 'user-agent': chrome }, bodyOf(), readSender)).toEqual(linux)
  })
})
