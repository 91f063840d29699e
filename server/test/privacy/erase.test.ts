import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { WriteAheadLog } from '../../src/wal/WriteAheadLog.js'
import { createService, type Service } from '../fixtures/createService.js'
import { event } from '../fixtures/events.js'
import { bring, zipOf } from '../history/bring.js'
import { findInFiles } from '../fixtures/findInFiles.js'
import { eventually } from '../fixtures/eventually.js'
import { setAside, settingAside } from '../fixtures/setAside.js'

let service: Service
beforeEach(async () => {
  service = await createService(settingAside)
})
afterEach(() => service.close())

const environment = 'production'
const erase = (id: string, of = environment) => service.ask('/persons/erase', { environment: of, id })
const rowsOf = async (statement: string) => {
  const { rows, error } = await service.query(statement)
  expect(error).toBeUndefined()
  return rows
}

/** Ids and words that occur only in what belongs to Ada. */
const ids = ['u_ada_9f3e', 'anon_ada_71c2', 'old_ada_55d0'] as const
const words = ['ada@secret.example', 'ordered-by-ada', 'path-of-ada', 'set-aside-of-ada'] as const

/** Ada with three ids, two of them merged; and Bob, who once used her browser. */
const seed = async () => {
  const [user, anonymous, old] = ids
  await service.ingest('/track', [
    event('Opened', { anonymous_id: anonymous, properties: { $url: 'https://a.example/path-of-ada' } }),
    event('Opened', { anonymous_id: 'anon_bob', properties: { n: 1 } }),
  ])
  await service.ingest('/identify', {
    environment,
    distinct_id: user,
    anonymous_id: anonymous,
    traits: { email: 'ada@secret.example' },
  })
  await service.ingest('/track', event('Old', { distinct_id: old }))
  await service.ingest('/alias', { environment, distinct_id: old, new_user_id: user })
  await service.ingest('/identify', { environment, distinct_id: 'u_bob', traits: { plan: 'pro' } })
  await service.ingest('/track', [
    event('Ordered', { distinct_id: user, properties: { note: 'ordered-by-ada', insert_id: 'i-ada' } }),
    event('Ordered', { distinct_id: 'u_bob', anonymous_id: anonymous, properties: { insert_id: 'i-bob' } }),
  ])
  await setAside(service, user, { a: 'set-aside-of-ada' })
}

const found = () =>
  Object.fromEntries([...ids, ...words].map((text) => [text, findInFiles(service.folder, text)]))
const nowhere = Object.fromEntries([...ids, ...words].map((text) => [text, []]))

describe('an erase', () => {
  it('leaves no id and no word of the person in any file, and all others as they were', async () => {
    await seed()
    for (const [text, files] of Object.entries(found())) expect(files, text).not.toEqual([])

    const { status, body } = await erase(ids[2])
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        ok: true,
        person: expect.stringMatching(/^[0-9a-f]{32}$/),
        erased: { events: 3, traits: 1, identities: 3, rejected: 1, unlinked: 1 },
      },
    })
    expect(found()).toEqual(nowhere)
    await service.restart()
    expect(found()).toEqual(nowhere)

    expect(
      await rowsOf('SELECT event, distinct_id, anonymous_id, person_id FROM events ORDER BY event_id'),
    ).toEqual([
      ['Opened', null, 'anon_bob', 'anon_bob'],
      ['Ordered', 'u_bob', null, 'u_bob'],
    ])
    expect(await rowsOf('SELECT person_id, traits, events FROM persons ORDER BY 1')).toEqual([
      ['anon_bob', {}, 1],
      ['u_bob', { plan: 'pro' }, 1],
    ])
    expect(await rowsOf('SELECT * FROM analytics.rejected')).toEqual([])
    expect(
      await rowsOf(
        `SELECT duty, asked_by, environment, person, events, traits, identities, rejected, unlinked FROM privacy_log`,
      ),
    ).toEqual([['erase', 'ada', environment, body['person'], 3, 1, 3, 1, 1]])
  })

  it('is answered 404 when nobody has the id, and nothing is erased', async () => {
    await service.ingest('/track?sync=true', event('Seen', { distinct_id: 'u_1', environment: 'staging' }))
    expect(await erase('u_1')).toMatchObject({
      status: 404,
      body: {
        error: 'person-not-found',
        message: expect.stringContaining('Nobody in the environment production'),
      },
    })
    expect(await rowsOf('SELECT count(*) FROM events')).toEqual([[1]])
    expect(await rowsOf('SELECT * FROM privacy_log')).toEqual([])
  })

  it('is refused without a password, and for a body that does not say whom', async () => {
    expect(await service.send('POST', '/persons/erase', '{}')).toMatchObject({ status: 401 })
    expect(await service.ingest('/persons/erase', { environment, id: 'u_1' })).toMatchObject({ status: 401 })
    expect(await service.ask('/persons/erase', { environment })).toMatchObject({ status: 400 })
    expect(await service.ask('/persons/erase', { environment, id: '' })).toMatchObject({ status: 400 })
    expect(await service.ask('/persons/erase', { environment, id: 'a', ids: [] })).toMatchObject({
      status: 400,
    })
  })

  it('takes what was accepted before it in its environment, and makes what comes after it a new person', async () => {
    const track = (n: number) => event('Seen', { distinct_id: 'u_1', properties: { n, insert_id: `i-${n}` } })
    await service.ingest('/track', { ...track(0), environment: 'staging' })
    for (let n = 0; n < 20; n++) await service.ingest('/track', track(n))
    expect(await erase('u_1')).toMatchObject({ status: 200, body: { erased: { events: 20 } } })
    // The second copy of an event that was erased, and a new one.
    await service.ingest('/track?sync=true', [track(3), track(20)])
    expect(await rowsOf(`SELECT environment, properties->>'n' FROM events ORDER BY event_id`)).toEqual([
      ['staging', '0'],
      ['production', '20'],
    ])
    expect(await rowsOf('SELECT person_id, events FROM persons')).toEqual([
      ['u_1', 1],
      ['u_1', 1],
    ])
  })

  it('may be asked for many persons at once while others send', async () => {
    const persons = Array.from({ length: 6 }, (_, at) => `person-${at}-of-many`)
    await service.ingest(
      '/track',
      persons.map((id) => event('Seen', { distinct_id: id })),
    )
    let sent = 0
    let isOver = false
    const sending = (async () => {
      while (!isOver) {
        const other = event('Other', { distinct_id: 'other', properties: { n: sent } })
        // What would be stored late is refused.
        if ((await service.ingest('/track', other)).status === 200) sent++
      }
    })()
    const answers = await Promise.all(persons.slice(0, 5).map((id) => erase(id)))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    isOver = true
    await sending
    await service.ingest('/track?sync=true', event('Last', { distinct_id: 'other' }))
    expect(await rowsOf('SELECT DISTINCT person_id FROM events ORDER BY 1')).toEqual([
      ['other'],
      [persons[5]],
    ])
    expect(
      await rowsOf(`SELECT count(*), count(DISTINCT properties->>'n') FROM events WHERE event = 'Other'`),
    ).toEqual([[sent, sent]])
    for (const id of persons.slice(0, 5)) expect(findInFiles(service.folder, `"${id}"`)).toEqual([])
  })

  it('takes imported sums that name the person, whatever else is in their addresses', async () => {
    await service.ingest('/track', event('Seen', { distinct_id: 'u_in_sums' }))
    const pages = ['/', '/of/U_in_Sums', '/%FC?who=u%5Fin_sums', '/of/u_in_sums2', '/%FC']
    const lines = ['date,page,visitors', ...pages.map((page) => `2024-01-01,${page},1`)]
    const file = zipOf({ 'imported_pages_1.csv': `${lines.join('\n')}\n` })
    for (const of of [environment, 'staging']) await bring(service, 'plausible', file, { environment: of })
    const left = (of: string) =>
      rowsOf(`SELECT value FROM analytics.daily_sums WHERE environment = '${of}' ORDER BY 1`)
    const all = pages.toSorted().map((page) => [page])
    expect(await left(environment)).toEqual(all)
    expect(await erase('u_in_sums')).toMatchObject({ status: 200 })
    expect(await left(environment)).toEqual([['/'], ['/%FC'], ['/of/u_in_sums2']])
    expect(await left('staging')).toEqual(all)
  })

  it('empties the log of appended rows, too', async () => {
    await service.ask('/append?catalog=lakehouse&schema=main&table=visits&sync=true', { who: 'u_in_a_table' })
    await service.ingest('/track', event('Seen', { distinct_id: 'u_in_a_table' }))
    await rowsOf(`DELETE FROM visits`)
    expect(await erase('u_in_a_table')).toMatchObject({ status: 200 })
    expect(
      findInFiles(service.folder, 'u_in_a_table').filter((file) => !file.startsWith('lakehouse')),
    ).toEqual([])
  })
})

describe('an erase that was cut off by a kill', () => {
  const list = () => join(service.folder, 'erasures.json')
  const erasure = (more: object = {}) => ({
    ...{ task: 'task-1', environment, id: ids[1], user: 'ada', askedAtMs: 1, through: 9, tries: 0 },
    ...more,
  })
  /** The log goes on in another file before an erase is written down. */
  const start = async (...erasures: object[]) => {
    await service.stop()
    const log = await WriteAheadLog.open(join(service.folder, 'accept-log', 'analytics'))
    await log.seal()
    await log.close()
    writeFileSync(list(), JSON.stringify(erasures))
    await service.restart()
  }

  it('before the store was written anew is finished at the next start', async () => {
    await seed()
    writeFileSync(join(service.folder, 'analytics.duckdb.new'), `half a file with ${ids[0]}`)
    writeFileSync(join(service.folder, 'analytics.duckdb.new.wal'), words[0])
    await start(erasure())
    await eventually(() => expect(found()).toEqual(nowhere))
    expect(existsSync(list())).toBe(false)
    expect(await rowsOf('SELECT duty, events FROM privacy_log')).toEqual([['erase', 3]])
    expect(await erase(ids[0])).toMatchObject({ status: 404 })
  })

  it('before the last rows of the person were stored waits for them', async () => {
    await seed()
    await start(erasure({ through: 10 }))
    expect(existsSync(list())).toBe(true)
    await service.ingest('/track', event('Ordered', { distinct_id: ids[0] }))
    await eventually(() => expect(existsSync(list())).toBe(false))
    await eventually(async () => {
      expect(await rowsOf('SELECT duty, events FROM privacy_log')).toEqual([['erase', 4]])
    })
  })

  it('after the new store was in its place is not done a second time', async () => {
    await seed()
    await start(erasure())
    await service.ingest('/track?sync=true', event('Seen', { distinct_id: ids[1] }))
    await start(erasure())
    expect(existsSync(list())).toBe(false)
    expect(await rowsOf('SELECT duty, events FROM privacy_log')).toEqual([['erase', 3]])
    expect(await rowsOf(`SELECT count(*) FROM events WHERE person_id = '${ids[1]}'`)).toEqual([[1]])
  })

  it("again and again stands in nobody's way, and is done when somebody asks again", async () => {
    await seed()
    await start(erasure({ tries: 5 }))
    expect(existsSync(list())).toBe(true)
    expect(await rowsOf('SELECT count(*) FROM events')).toEqual([[5]])
    expect(await erase(ids[0])).toMatchObject({ status: 200 })
    expect(existsSync(list())).toBe(false)
    expect(found()).toEqual(nowhere)
  })
})
