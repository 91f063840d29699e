import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createService, type Body, type Service } from '../fixtures/createService.js'
import { countryFile } from '../fixtures/countryFile.js'
import { event } from '../fixtures/events.js'
import { findInFiles } from '../fixtures/findInFiles.js'

const folder = mkdtempSync(join(tmpdir(), 'waymark-derived-'))
const geoDatabase = join(folder, 'countries.mmdb')
writeFileSync(geoDatabase, countryFile({ '203.0.113.0/24': { country: { iso_code: 'NL' } } }))

let service: Service
beforeAll(async () => {
  service = await createService({ geoDatabase, trustProxy: 1 })
})
afterAll(async () => {
  await service.close()
  rmSync(folder, { recursive: true, force: true })
})

const android =
  'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36'
const firefox = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:145.0) Gecko/20100101 Firefox/145.0'
const browser = { 'user-agent': android, 'accept-language': 'de-AT,de;q=0.9' }

let sent = 0
/** Sends events with these properties in one request, and gives these columns of each. */
const columnsOf = async (columns: string, properties: Body[], headers: Body = browser) => {
  const name = `sent ${++sent}`
  const events = properties.map((each) => event(name, { properties: each }))
  const { status } = await service.ingest('/track?sync=true', events, headers)
  expect(status).toBe(200)
  const { rows, error } = await service.query(
    `SELECT ${columns} FROM events WHERE event = '${name}' ORDER BY event_id`,
  )
  expect(error).toBeUndefined()
  return rows
}
const agent = 'browser, os, device, language, country'

describe('who sends', () => {
  it('is in columns of every event, and nowhere else', async () => {
    const address = { ...browser, 'x-forwarded-for': '203.0.113.77' }
    expect(await columnsOf(agent, [{}, { a: 1 }], address)).toEqual([
      ['Chrome', 'Android', 'phone', 'de-AT', 'NL'],
      ['Chrome', 'Android', 'phone', 'de-AT', 'NL'],
    ])
    expect(await columnsOf('properties', [{}], address)).toEqual([[{}]])
    expect(findInFiles(service.folder, 'Android 10; K')).toEqual([])
    expect(findInFiles(service.folder, '203.0.113.77')).toEqual([])
    // The search finds what is there.
    expect(findInFiles(service.folder, 'de-AT')).not.toEqual([])
  })

  it('is left to what the event itself says', async () => {
    const rows = await columnsOf(agent, [
      { $user_agent: firefox },
      { $os: 'Plan 9' },
      { $device: 'Pixel 9' },
      { $user_agent: firefox, $os: 'Plan 9', $device: 'Pixel 9' },
      { $user_agent: 'a program' },
      { browser_time_zone: 'Asia/Tokyo' },
    ])
    expect(rows.map((row) => row.slice(0, 3))).toEqual([
      ['Firefox', 'macOS', 'desktop'],
      ['Chrome', 'Plan 9', 'phone'],
      ['Chrome', 'Android', 'Pixel 9'],
      ['Firefox', 'Plan 9', 'Pixel 9'],
      [null, null, null],
      ['Chrome', 'Android', 'phone'],
    ])
  })

  it('is nobody where a server sends', async () => {
    const server = { 'user-agent': 'node', 'accept-language': 'de', 'x-forwarded-for': '203.0.113.77' }
    expect(await columnsOf(agent, [{ browser_time_zone: 'Asia/Tokyo' }], server)).toEqual([
      [null, null, null, null, null],
    ])
    expect(await columnsOf(agent, [{ $user_agent: firefox }], server)).toEqual([
      ['Firefox', 'macOS', 'desktop', null, null],
    ])
  })

  it('has the country of the time zone where no address is known', async () => {
    expect(await columnsOf('country', [{ browser_time_zone: 'Asia/Tokyo' }])).toEqual([['JP']])
  })

  it('is a bot as before', async () => {
    const gptbot = 'Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)'
    expect(await columnsOf('bot, browser', [{}], { 'user-agent': gptbot })).toEqual([
      ['AI crawler GPTBot', null],
    ])
    expect(await columnsOf('bot, browser', [{ $user_agent: gptbot, $device_type: 'bot' }])).toEqual([
      ['AI crawler GPTBot', null],
    ])
    expect(await columnsOf('bot, browser', [{ $user_agent: firefox, $device_type: 'bot' }])).toEqual([
      ['automation', 'Firefox'],
    ])
  })
})

describe('the campaign', () => {
  const utm = 'utm_source, utm_medium, utm_campaign, utm_term, utm_content'
  const site = 'https://shop.example'
  it.each([
    [
      'all of the address',
      '/?utm_source=news&utm_medium=email&utm_campaign=spring&utm_term=map&utm_content=top',
      ['news', 'email', 'spring', 'map', 'top'],
    ],
    ['what is there', '/a/b?x=1&utm_source=news', ['news', null, null, null, null]],
    [
      'as a form writes it',
      '/?utm_source=%C3%BCn%C3%AF-%F0%9F%93%A3&utm_campaign=a+b%2Bc%26d',
      ['ünï-📣', null, 'a b+c&d', null, null],
    ],
    ['the first of two', '/?utm_source=one&utm_source=two', ['one', null, null, null, null]],
    ['200 characters at most', `/?utm_source=${'ü'.repeat(300)}`, ['ü'.repeat(200), null, null, null, null]],
    ['none of a longer name', '/?xutm_source=news&utm_sources=x', [null, null, null, null, null]],
    ['none behind the fragment', '/#/a?utm_source=news', [null, null, null, null, null]],
    ['none that is empty', '/?utm_source=&utm_medium', [null, null, null, null, null]],
    [
      'none that is no text',
      '/?utm_source=%C3&utm_medium=%ff%zz&utm_campaign=%00',
      [null, null, null, null, null],
    ],
  ])('is %s', async (_, path, expected) => {
    expect(await columnsOf(utm, [{ $url: site + path }])).toEqual([expected])
  })

  it('is never mixed from the event and its address', async () => {
    const $url = `${site}/?utm_source=news&utm_medium=email`
    expect(await columnsOf(utm, [{ $url, $utm_campaign: 'spring' }])).toEqual([
      [null, null, 'spring', null, null],
    ])
  })

  it.each([
    ['/?gclid=abc', 'gclid'],
    ['/?a=1&fbclid=abc', 'fbclid'],
    ['/?a=b?gclid=c', null],
    ['/?msclkid=a&gclid=b', 'gclid'],
    ['/?mygclid=abc', null],
    ['/', null],
  ])('has the click id of %s', async (path, name) => {
    expect(await columnsOf('click_id', [{ $url: site + path }])).toEqual([[name]])
  })
})

it.each([
  ['390x844', 'phone'],
  ['599x1', 'phone'],
  ['600x960', 'tablet'],
  ['1024x768', 'tablet'],
  ['1025x768', 'desktop'],
  ['2560x1440', 'desktop'],
  ['wide', null],
  [undefined, null],
])('a window of %s is that of a %s', async (viewport, screenClass) => {
  expect(await columnsOf('screen_class', [{ $viewport: viewport }])).toEqual([[screenClass]])
})

describe('a session', () => {
  it('has the first of each, and its channel', async () => {
    const $url = 'https://shop.example/?utm_source=news&utm_medium=email&gclid=1'
    const session = { session_id: 'derived', device_id: 'derived' }
    const more = (properties: Body) => ({ ...session, properties })
    await service.ingest(
      '/track?sync=true',
      [event('$pageview', more({ $url, $viewport: '390x844', browser_time_zone: 'Asia/Tokyo' }))],
      browser,
    )
    const later = { 'user-agent': firefox, 'accept-language': 'fr' }
    await service.ingest('/track?sync=true', [event('Later', more({ $viewport: '1280x720' }))], later)
    const columns = `channel, utm_source, click_id, ${agent}, screen_class`
    for (const from of ['sessions', 'all_sessions', 'sessions()']) {
      const { rows } = await service.query(`SELECT ${columns} FROM ${from} WHERE session_id = 'derived'`)
      expect(rows).toEqual([['paid', 'news', 'gclid', 'Chrome', 'Android', 'phone', 'de-AT', 'JP', 'phone']])
    }
    // What a session has is also a property to ask by.
    const { rows } = await service.query(`SELECT value, events FROM breakdown('Later', '$os')`)
    expect(rows).toEqual([['macOS', 1]])
  })
})
