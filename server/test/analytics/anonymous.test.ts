import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Body, createService } from '../fixtures/createService.js'
import { event } from '../fixtures/events.js'
import { findInFiles } from '../fixtures/findInFiles.js'
import { useService } from '../fixtures/useService.js'

const service = useService({ trustProxy: 1 })

const at = Date.UTC(2026, 0, 1, 12)
const minute = 60_000
/** A page view, some minutes after noon. */
const view = (minutes: number, path = '/', more: Body = {}) =>
  event('$pageview', {
    timestamp: at + minutes * minute,
    properties: { $url: `https://shop.example${path}`, ...more },
  })

const send = (address: string, events: Body[], userAgent = 'Browser/1', headers: Body = {}) =>
  service.ingest('/anonymous?sync=true', events, {
    'x-forwarded-for': address,
    'user-agent': userAgent,
    ...headers,
  })
const rows = async (statement: string) => (await service.query(statement)).rows

describe('a service that counts without consent', () => {
  it('says so to a client that asks with an empty list, and stores nothing for it', async () => {
    const fresh = await createService()
    try {
      const { body } = await fresh.ingest('/anonymous', [])
      expect(body).toEqual({ ok: true, task_id: null, error_code: null, anonymous: true })
      expect((await fresh.ingest('/track', [])).body).not.toHaveProperty('anonymous')
      expect(existsSync(join(fresh.folder, 'day-salt'))).toBe(false)
    } finally {
      await fresh.close()
    }
  })

  it('knows a visitor by address and browser, in one environment and by one key', async () => {
    await send('192.0.2.1', [view(0, '/who/'), view(1, '/who/a')])
    await send('192.0.2.1', [view(2, '/who/b')])
    await send('192.0.2.1', [view(3, '/who/')], 'Browser/2')
    await send('198.51.100.9, 192.0.2.2', [view(4, '/who/')])
    await send('192.0.2.1', [view(5, '/who/')], 'Browser/1', { 'x-api-key': 'key-2' })
    await send(
      '192.0.2.1',
      [view(6, '/who/'), view(7, '/who/')].map((each) => ({ ...each, environment: 'staging' })),
    )
    const ids = await rows(
      `SELECT environment, count(*)::INTEGER, min(anonymous_id) FROM events
       WHERE anonymous AND path LIKE '/who/%' GROUP BY environment, person_id ORDER BY 1, 2 DESC`,
    )
    expect(ids.map(([environment, events]) => [environment, events])).toEqual([
      ['production', 3],
      ['production', 1],
      ['production', 1],
      ['production', 1],
      ['staging', 2],
    ])
    expect(new Set(ids.map(([, , id]) => id)).size).toBe(5)
    for (const [, , id] of ids) expect(id).toMatch(/^day-[\w-]{22}$/)
  })

  it('keeps no id that the payload names, and makes one person of nobody', async () => {
    const ids = {
      distinct_id: 'u-known',
      anonymous_id: 'a-known',
      device_id: 'd-known',
      session_id: 's-known',
    }
    await send('192.0.2.3', [{ ...view(0, '/ids'), ...ids }])
    const [[distinct, anonymous, device, session]] = (await rows(
      `SELECT distinct_id, anonymous_id, device_id, session_id FROM events WHERE path = '/ids'`,
    )) as [string[]]
    expect([distinct, device]).toEqual([null, null])
    expect(anonymous).toMatch(/^day-/)
    expect(session).toMatch(/^day-[\w-]{22}-\d+$/)
    expect(await rows(`SELECT count(*)::INTEGER FROM persons WHERE person_id <> 'known'`)).toEqual([[0]])
    // Neither the accept log nor the store has seen them.
    expect(findInFiles(service.folder, '-known')).toEqual([])
  })

  it('stores an event once that is sent twice', async () => {
    const events = [view(0, '/once', { insert_id: 'one' })]
    await send('192.0.2.4', events)
    await send('192.0.2.4', events)
    expect(await rows(`SELECT count(*)::INTEGER FROM events WHERE path = '/once'`)).toEqual([[1]])
  })

  it('ends a session after half an hour without an event, whatever the order of arrival', async () => {
    await send('192.0.2.5', [view(0, '/s1'), view(29, '/s2')])
    await send('192.0.2.5', [view(120, '/s5'), view(58, '/s3')])
    await send('192.0.2.5', [view(89, '/s4')])
    const sessions = await rows(
      `SELECT list(path ORDER BY "timestamp") FROM events WHERE path LIKE '/s_' GROUP BY session_id ORDER BY min("timestamp")`,
    )
    expect(sessions).toEqual([[['/s1', '/s2', '/s3']], [['/s4']], [['/s5']]])
    expect(await rows(`SELECT page_views, anonymous FROM sessions WHERE entry = '/s1'`)).toEqual([[3, true]])
  })

  it('counts them in totals, and in answers about people over days only when asked', async () => {
    await service.ingest('/track?sync=true', [
      { ...view(0, '/f1'), distinct_id: 'known' },
      { ...view(1, '/f2'), distinct_id: 'known' },
    ])
    await send('192.0.2.6', [view(0, '/f1'), view(1, '/f2')])
    const people = async (more: string) =>
      (await rows(`SELECT people FROM funnel(['/f1', '/f2'], INTERVAL 1 DAY${more}) ORDER BY step`)).flat()
    expect(await people('')).toEqual([1, 1])
    expect(await people(', anonymous := true')).toEqual([2, 2])
    const size = async (more: string) =>
      (await rows(`SELECT size FROM retention('/f1', NULL, 'day'${more}) WHERE period = 0`)).flat()
    expect(await size('')).toEqual([1])
    expect(await size(', anonymous := true')).toEqual([2])
    expect(await rows('SELECT count(*)::INTEGER FROM first_touch()')).toEqual([[1]])
    const [[counted, all]] = (await rows(
      `SELECT (SELECT sum(people)::INTEGER FROM daily('2026-01-01', '2026-01-02')),
         (SELECT count(DISTINCT person_id)::INTEGER FROM events WHERE environment = 'production')`,
    )) as [number[]]
    expect(counted).toBe(all)
  })

  it('has the address and the user agent in no file', async () => {
    await send('192.0.2.7', [view(0)])
    expect(findInFiles(service.folder, '192.0.2.')).toEqual([])
    expect(findInFiles(service.folder, 'Browser/')).toEqual([])
    // The search finds what is there.
    expect(findInFiles(service.folder, 'shop.example')).not.toEqual([])
  })

  it('knows a visitor again after a restart, by a salt that the owner of the folder alone reads', async () => {
    await send('192.0.2.8', [view(0, '/again')])
    const file = join(service.folder, 'day-salt')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    await service.restart()
    await send('192.0.2.8', [view(1, '/again')])
    const visitors = await rows(
      `SELECT count(DISTINCT anonymous_id)::INTEGER FROM events WHERE path = '/again'`,
    )
    expect(visitors).toEqual([[1]])
  })
})
