import { gzipSync } from 'node:zlib'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
// @ts-expect-error plain JavaScript
import { account } from '../bench/peers/account.mjs'
// @ts-expect-error plain JavaScript
import { renderPage } from '../bench/peers/page/renderPage.mjs'
// @ts-expect-error plain JavaScript
import { sayBehind } from '../bench/peers/page/renderBehind.mjs'
// @ts-expect-error plain JavaScript
import { summariseCost } from '../bench/peers/page/summarise.mjs'
// @ts-expect-error plain JavaScript
import { peers } from '../bench/peers/peers.mjs'
// @ts-expect-error plain JavaScript
import { readEvents } from '../bench/peers/protocols.mjs'
// @ts-expect-error plain JavaScript
import { busyShare } from '../bench/peers/quietMachine.mjs'

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
const results = JSON.parse(read('bench/peers/results.json'))
const page = read('docs/peers.html')

describe('the page of the peers', () => {
  it('is what its script makes of the results: else run `npm run bench:peers -- page`', () => {
    expect(page).toBe(renderPage(results))
  })

  it('asks nothing of any other host, and runs no script', () => {
    expect(page).not.toMatch(/<script|(?:src|href)="(?!#|data:)|url\(/)
  })

  it('has a title and a description for each chart, and a table beside it', () => {
    const charts = page.match(/<svg[^]*?<\/svg>/g)!
    expect(charts.length).toBeGreaterThan(8)
    for (const chart of charts)
      expect(chart).toMatch(/aria-labelledby="(\S+) (\S+)".*<title id="\1">.+<desc id="\2">.+/)
    expect(
      page
        .match(/<h2[^]*?(?=<h2|<\/main>)/g)!
        .slice(0, 3)
        .every((part) => part.includes('<table')),
    ).toBe(true)
  })
})

describe('the results of the peers', () => {
  it('are of the versions that bench/peers/package.json pins', () => {
    const { dependencies } = JSON.parse(read('bench/peers/package.json'))
    expect(results.versions).toEqual({ ...dependencies, waymark: expect.any(String) })
    expect(
      Object.values(results.versions).every((version) => /^\d+\.\d+\.\d+$/.test(version as string)),
    ).toBe(true)
  })

  it('have every library that is compared', () => {
    for (const { package: from, name } of peers) {
      expect(results.versions).toHaveProperty([from])
      expect(results.bytes).toHaveProperty([name])
    }
  })

  it('name no host, no path and no user of the machine', () => {
    expect(read('bench/peers/results.json')).not.toMatch(
      /\/(?:work|home|root|tmp|Users)\/|localhost|127\.0\.0\.1/,
    )
  })
})

const ledger = { ledger_id: 'one' }
const event = (...ids: string[]) => ids.map((messageId) => ({ id: 'one', messageId }))

describe('a body', () => {
  it.each([
    ['waymark', JSON.stringify([{ event: 'A', properties: { ...ledger, insert_id: 'm' } }])],
    ['PostHog, gzipped', gzipSync(JSON.stringify([{ uuid: 'm', event: 'A', properties: ledger }]))],
    [
      'Mixpanel, a form',
      `data=${encodeURIComponent(JSON.stringify([{ properties: { ...ledger, $insert_id: 'm' } }]))}`,
    ],
    [
      'Mixpanel, base64',
      `data=${encodeURIComponent(btoa(JSON.stringify({ properties: { ...ledger, $insert_id: 'm' } })))}`,
    ],
    ['Amplitude', JSON.stringify({ events: [{ insert_id: 'm', event_properties: ledger }] })],
    ['Segment', JSON.stringify({ messageId: 'm', properties: ledger })],
    ['Snowplow', JSON.stringify({ data: [{ eid: 'm', ue_pr: JSON.stringify({ data: { data: ledger } }) }] })],
  ])('of %s is read with the id that its service knows copies by', (_name, body) => {
    expect(readEvents(Buffer.from(body))).toEqual(event('m'))
  })

  it('of Plausible is read without such an id', () => {
    expect(readEvents(Buffer.from(JSON.stringify({ n: 'A', p: ledger })))).toEqual([{ id: 'one' }])
  })
})

describe('an account', () => {
  it('tells what was lost, and copies with the same id from copies with another', () => {
    const arrivals = [...event('m', 'm', 'other'), { id: 'of another scenario', messageId: 'm' }]
    const counted = account(new Set(['one', 'two']), arrivals)
    expect(counted).toEqual({ events: 2, lost: 1, twice: 2, twiceOtherId: 1 })
  })
})

describe('a summary of the cost', () => {
  const round = (ours: number, posthog: number | undefined, nothing: number) => ({
    peers: { waymark: { ms: ours }, posthog: { ms: posthog }, nothing: { ms: nothing } },
  })
  const metric = { read: (one: { ms: number }) => one.ms }

  it('is the median over the rounds, less the control of the same round', () => {
    const { figures } = summariseCost([round(5, 9, 1), round(8, 9, 2), round(9, 9, 2)], {
      ...metric,
      over: true,
    })
    expect(figures[0]).toEqual({ peer: 'waymark', title: 'waymark', median: 6, least: 4, most: 7 })
  })

  it('names a library that was given up in one round, and gives no figure of it', () => {
    const { figures, gaveUp } = summariseCost([round(5, 9, 1), round(5, undefined, 1)], metric)
    expect(figures).toHaveLength(1)
    expect(gaveUp).toEqual(['PostHog'])
  })

  it('says who is ahead of waymark, and by how much', () => {
    const { figures } = summariseCost([round(5, 3, 1)], metric)
    expect(sayBehind('Something', figures, String)).toEqual(['Something: PostHog 3; waymark 5.'])
    expect(sayBehind('Something', figures, () => 'alike')).toEqual([])
  })
})

describe('a busy machine', () => {
  const before = { atMs: 0, idleMs: 1000, processors: 2 }

  it.each([
    [6000, 0],
    [4500, 0.25],
    [0, 1],
  ])('is told by the time that its processors were idle: %i of 6,000 ms', (idleMs, share) => {
    expect(busyShare(before, { atMs: 3000, idleMs: 1000 + idleMs, processors: 2 })).toBe(share)
  })
})
