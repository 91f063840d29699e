import { readdirSync } from 'node:fs'
import { FiltersEngine, Request } from '@ghostery/adblocker'
import { describe, expect, it } from 'vitest'
import { urlOf } from '../../src/core/contract'

/** The rules of EasyPrivacy that come near to what a tracking library asks for. */
const rules = `
.com/track?$~object
.io/track?
.uk/track?
.click/track?
/analytics.*/track
/analytics/track?
/analytics/track|
/analytics/event
://analytics.*/event
/users/track?
/track?*&event=
/track?data=
/track?event=
/track?pid=
/track/event/*
/track/batch?
/track/pageview?
/api/track?guid
/tracker/events/*
://beacon.*/track
://tracking.*/event
://stats.*/script.js
/stats.*/event
/collector/event
/web-vitals.
/web-vitals-
/web-vitals/*
/autotrack.js
*$ping,third-party
`
const engine = FiltersEngine.parse(rules)

type By = 'script' | 'xhr' | 'ping'

const isHit = (url: string, by: By, page = 'https://shop.com/maps') =>
  engine.match(Request.fromRawDetails({ url, sourceUrl: page, type: by })).match

const kinds = ['track', 'identify', 'alias', 'anonymous'] as const
const key = 'pk_your_key'

const files = readdirSync(new URL('../../dist', import.meta.url)).filter((name) => name.endsWith('.js'))

describe('lists that block trackers', () => {
  it('hit nothing of a set-up on a path of the page’s own host', () => {
    for (const host of ['shop.com', 'www.shop.io', 'shop.co.uk', 'shop.de']) {
      const [page, base] = [`https://${host}/maps`, `https://${host}/w`]
      for (const kind of kinds)
        for (const by of ['xhr', 'ping'] as const)
          expect([kind, by, isHit(urlOf(kind, base, key), by, page)]).toEqual([kind, by, false])
      expect(isHit(`${base}/ids`, 'xhr', page)).toBe(false)
      const scripts = files.filter((name) => name.startsWith('waymark.'))
      expect(scripts).toEqual(
        expect.arrayContaining(['waymark.iife.js', 'waymark.early.js', 'waymark.clicks.js']),
      )
      for (const file of scripts)
        for (const address of [
          file,
          `${file}?v=0123456789abcdef`,
          file.replace(/js$/, '0123456789abcdef.js'),
        ])
          expect([address, isHit(`${base}/${address}`, 'script', page)]).toEqual([address, false])
    }
  })

  it('hit no file of the package, as a bundler may name its chunk, from this host or another', () => {
    for (const file of files)
      for (const host of ['shop.com', 'cdn.example'])
        for (const name of [file, file.replace(/\.js$/, '-3f2a1b.js'), `assets/${file}`])
          expect([name, isHit(`https://${host}/${name}`, 'script')]).toEqual([name, false])
  })

  it.each([
    ['https://analytics.example.com/track?apiKey=pk', 'xhr'],
    ['https://analytics.example.de/track?apiKey=pk', 'xhr'],
    ['https://analytics.shop.de/w/track?apiKey=pk', 'xhr'],
    ['https://api.shop.com/track?apiKey=pk', 'xhr'],
    ['https://shop.com/track?apiKey=pk', 'xhr'],
    ['https://api.shop.io/track?apiKey=pk', 'xhr'],
    ['https://events.example.de/alias?apiKey=pk', 'ping'],
    ['https://cdn.example/web-vitals-3f2a.js', 'script'],
  ] as const)('hit %s by %s, as docs/proxy.md says', (url, by) => {
    expect(isHit(url, by)).toBe(true)
  })

  it.each([
    ['https://events.example.de/track?apiKey=pk', 'xhr'],
    ['https://analytics.example.com/identify?apiKey=pk', 'xhr'],
    ['https://cdn.example/waymark.iife.js', 'script'],
  ] as const)('let %s by %s through', (url, by) => {
    expect(isHit(url, by)).toBe(false)
  })
})
