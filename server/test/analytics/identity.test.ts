import { describe, expect, it } from 'vitest'
import { type Body } from '../fixtures/createService.js'
import { event } from '../fixtures/events.js'
import { useService } from '../fixtures/useService.js'

const service = useService()

const identify = (distinct_id: string, more: Body = {}) =>
  service.ingest('/identify?sync=true', { environment: 'production', distinct_id, ...more })
const alias = (distinct_id: string, new_user_id: string, environment = 'production') =>
  service.ingest('/alias?sync=true', { environment, distinct_id, new_user_id })
const track = (more: Body) => service.ingest('/track?sync=true', event('seen', more))
const person = async (id: string, environment = 'production') =>
  (
    await service.query(
      `SELECT person_id, distinct_ids, traits, events FROM persons
       WHERE environment = '${environment}' AND list_contains(distinct_ids, '${id}')`,
    )
  ).rows
const personsOf = async (id: string) =>
  (
    await service.query(
      `SELECT DISTINCT person_id FROM events WHERE distinct_id = '${id}' OR anonymous_id = '${id}' ORDER BY 1`,
    )
  ).rows.flat()

describe('POST /identify', () => {
  it('gives the events from before to the user', async () => {
    await track({ distinct_id: 'anon-a' })
    await identify('user-a', { anonymous_id: 'anon-a' })
    await track({ distinct_id: 'user-a', anonymous_id: 'anon-a' })
    expect(await personsOf('anon-a')).toEqual(['user-a'])
    expect(await person('anon-a')).toEqual([['user-a', ['anon-a', 'user-a'], {}, 2]])
  })

  it('links by an event that carries both ids', async () => {
    await track({ anonymous_id: 'anon-b' })
    await track({ distinct_id: 'user-b', anonymous_id: 'anon-b' })
    expect(await person('anon-b')).toEqual([['user-b', ['anon-b', 'user-b'], {}, 2]])
  })

  it('links by an event when only the anonymous id is new, and when only the user is', async () => {
    await identify('user-known')
    await track({ distinct_id: 'user-known', anonymous_id: 'anon-new' })
    expect(await person('anon-new')).toEqual([['user-known', ['anon-new', 'user-known'], {}, 1]])
    await track({ distinct_id: 'user-new', anonymous_id: 'anon-new' })
    expect(await person('user-new')).toEqual([['user-new', ['user-new'], {}, 1]])
    const known = await service.query(
      `SELECT identified FROM analytics.raw.id_map WHERE distinct_id = 'user-new'`,
    )
    expect(known.rows).toEqual([[true]])
  })

  it('never makes two users one because they share a browser', async () => {
    await identify('user-c', { anonymous_id: 'anon-c' })
    await identify('user-d', { anonymous_id: 'anon-c' })
    await track({ distinct_id: 'user-d', anonymous_id: 'anon-c' })
    expect(await person('user-c')).toEqual([['user-c', ['anon-c', 'user-c'], {}, 0]])
    expect(await person('user-d')).toEqual([['user-d', ['user-d'], {}, 1]])
  })

  it('links an anonymous id late, which was identified itself before', async () => {
    await track({ distinct_id: 'late-v' })
    await identify('late-v', { traits: { src: 'ad' } })
    await identify('late-u', { anonymous_id: 'late-v', traits: { plan: 'pro' } })
    expect(await person('late-v')).toEqual([['late-u', ['late-u', 'late-v'], { plan: 'pro', src: 'ad' }, 1]])
    await identify('late-w', { anonymous_id: 'late-v' })
    expect(await person('late-w')).toEqual([['late-w', ['late-w'], {}, 0]])
  })

  it('links an anonymous id late by an event, when both are known', async () => {
    await identify('late-a')
    await identify('late-b')
    await track({ distinct_id: 'late-b', anonymous_id: 'late-a' })
    expect(await person('late-a')).toEqual([['late-b', ['late-a', 'late-b'], {}, 1]])
  })

  it('does not take a user who has ids of their own for an anonymous id', async () => {
    await identify('user-i', { anonymous_id: 'anon-i' })
    await identify('user-j', { anonymous_id: 'user-i' })
    await track({ distinct_id: 'user-j', anonymous_id: 'user-i' })
    expect(await person('user-i')).toEqual([['user-i', ['anon-i', 'user-i'], {}, 0]])
    expect(await person('user-j')).toEqual([['user-j', ['user-j'], {}, 1]])
  })

  it('merges traits shallowly, the last write by timestamp wins', async () => {
    await identify('user-e', { traits: { plan: 'pro', nested: { a: 1 } }, timestamp: 2000 })
    await identify('user-e', { traits: { plan: 'free', late: true }, timestamp: 1000 })
    await identify('user-e', { traits: { nested: { b: 2 }, gone: null }, timestamp: '1970-01-01T00:00:03Z' })
    expect(await person('user-e')).toEqual([
      ['user-e', ['user-e'], { gone: null, late: true, nested: { b: 2 }, plan: 'pro' }, 0],
    ])
  })

  it('lets the later of two at the same moment win', async () => {
    await service.ingest('/identify?sync=true', [
      { environment: 'production', distinct_id: 'user-f', traits: { n: 1 }, timestamp: 5 },
      { environment: 'production', distinct_id: 'user-f', traits: { n: 2 }, timestamp: 5 },
    ])
    expect((await person('user-f'))[0]?.[2]).toEqual({ n: 2 })
  })

  it('keeps environments apart', async () => {
    await identify('user-g', { traits: { here: 'production' } })
    await identify('user-g', { traits: { here: 'staging' }, environment: 'staging', anonymous_id: 'anon-g' })
    expect(await person('user-g')).toEqual([['user-g', ['user-g'], { here: 'production' }, 0]])
    expect(await person('user-g', 'staging')).toEqual([
      ['user-g', ['anon-g', 'user-g'], { here: 'staging' }, 0],
    ])
  })

  it.each([
    ['environment-not-found', { environment: 'nowhere' }],
    ['trait-name-too-long', { traits: { ['x'.repeat(401)]: 1 } }],
  ])('refuses with %s', async (code, more) => {
    expect(await identify('never', more)).toMatchObject({
      status: 400,
      body: { ok: false, error_code: code },
    })
    expect(await person('never')).toEqual([])
  })

  it.each([{ distinct_id: '' }, { distinct_id: null }, { traits: [] }, { timestamp: 'soon' }])(
    'refuses %j with 400',
    async (more) => {
      const answer = await service.ingest('/identify', {
        environment: 'production',
        distinct_id: 'x',
        ...more,
      })
      expect(answer).toMatchObject({ status: 400, body: { ok: false, error: 'invalid-body' } })
    },
  )

  it('takes a trait with a $ and 400 code points', async () => {
    const name = `$${'😀'.repeat(399)}`
    expect((await identify('user-h', { traits: { [name]: 1 } })).body['ok']).toBe(true)
    expect((await person('user-h'))[0]?.[2]).toEqual({ [name]: 1 })
  })
})

describe('POST /alias', () => {
  it('merges the one into the other, with events and traits', async () => {
    await identify('old-a', { traits: { from: 'old', both: 'old' }, timestamp: 1 })
    await identify('new-a', { traits: { both: 'new' }, timestamp: 2 })
    await track({ distinct_id: 'old-a' })
    await alias('old-a', 'new-a')
    expect(await person('old-a')).toEqual([['new-a', ['new-a', 'old-a'], { both: 'new', from: 'old' }, 1]])
  })

  it('collapses a chain to one person', async () => {
    for (const at of [1, 2, 3, 4]) await alias(`chain-${at}`, `chain-${at + 1}`)
    expect(await person('chain-1')).toEqual([
      ['chain-5', ['chain-1', 'chain-2', 'chain-3', 'chain-4', 'chain-5'], {}, 0],
    ])
  })

  it('collapses a chain that arrives in one array, in any order', async () => {
    const step = (from: number, into: number) => ({
      environment: 'production',
      distinct_id: `link-${from}`,
      new_user_id: `link-${into}`,
    })
    await service.ingest('/alias?sync=true', [step(3, 4), step(1, 2), step(2, 3)])
    expect(await person('link-2')).toEqual([['link-4', ['link-1', 'link-2', 'link-3', 'link-4'], {}, 0]])
  })

  it('collapses a cycle to one person', async () => {
    await alias('round-1', 'round-2')
    await alias('round-2', 'round-3')
    await alias('round-3', 'round-1')
    await alias('round-1', 'round-1')
    expect(await person('round-2')).toEqual([['round-3', ['round-1', 'round-2', 'round-3'], {}, 0]])
  })

  it('takes the anonymous ids of the merged user along', async () => {
    await service.ingest('/track?sync=true', [event('seen', { distinct_id: 'u-1', anonymous_id: 'an-1' })])
    await alias('u-1', 'u-2')
    await track({ distinct_id: 'an-1' })
    expect(await personsOf('an-1')).toEqual(['u-2'])
  })

  it('merges in its own environment alone', async () => {
    await alias('env-1', 'env-2', 'staging')
    await track({ distinct_id: 'env-1' })
    expect(await personsOf('env-1')).toEqual(['env-1'])
  })

  it('keeps the order of identify and alias across requests', async () => {
    await Promise.all([identify('seq-1', { anonymous_id: 'seq-anon' }), alias('seq-1', 'seq-2')])
    expect(await person('seq-anon')).toEqual([['seq-2', ['seq-1', 'seq-2', 'seq-anon'], {}, 0]])
  })

  it.each([
    [{ environment: 'nowhere' }, 'environment-not-found'],
    [{ new_user_id: undefined }, null],
    [{ distinct_id: 7 }, null],
  ])('refuses %j', async (more, code) => {
    const body = { environment: 'production', distinct_id: 'a', new_user_id: 'b', ...more }
    expect(await service.ingest('/alias', body)).toMatchObject({
      status: 400,
      body: { ok: false, error_code: code },
    })
  })
})
