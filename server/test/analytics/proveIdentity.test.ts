import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { type Body, createService } from '../fixtures/createService.js'
import { event } from '../fixtures/events.js'
import { useService } from '../fixtures/useService.js'

const identitySecret = 'a secret of the site'
const sign = (id: string, secret = identitySecret) => createHmac('sha256', secret).update(id).digest('hex')

const service = useService({ apiKeys: ['pk', 'both'], serverKeys: ['sk', 'both'], identitySecret })

const send = async (key: string, path: string, body: unknown) => {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const answer = await service.send('POST', `${path}?sync=true`, text, { 'x-api-key': key })
  expect(answer.body).toMatchObject({ ok: true })
}
const identify = (key: string, distinct_id: string, more: Body = {}) =>
  send(key, '/identify', { environment: 'production', distinct_id, ...more })
const alias = (key: string, distinct_id: string, new_user_id: string) =>
  send(key, '/alias', { environment: 'production', distinct_id, new_user_id })
const track = (key: string, more: Body) => send(key, '/track', event('seen', more))
const signed = (id: string, traits: Body = {}) => ({ traits: { ...traits, $signature: sign(id) } })
const person = async (id: string) =>
  (
    await service.query(
      `SELECT person_id, distinct_ids, traits, events FROM persons WHERE list_contains(distinct_ids, '${id}')`,
    )
  ).rows
const rejected = async (id: string) =>
  (
    await service.query(
      `SELECT kind, reason FROM analytics.raw.rejected WHERE body LIKE '%"${id}"%' ORDER BY seq`,
    )
  ).rows
const unsigned = 'The id of the user is not signed (--identity-secret).'

describe('a public key', () => {
  it('says who somebody is by the signature that the server has made', async () => {
    await track('pk', { distinct_id: 'anon-1' })
    await identify('pk', 'ada', { anonymous_id: 'anon-1', ...signed('ada', { plan: 'pro' }) })
    // The event itself is not signed: it belongs to ada, because its anonymous id does.
    await track('pk', { distinct_id: 'ada', anonymous_id: 'anon-1' })
    expect(await person('ada')).toEqual([['ada', ['ada', 'anon-1'], { plan: 'pro' }, 2]])
  })

  it('is kept, and merges nobody, without one that is right', async () => {
    await track('pk', { distinct_id: 'anon-2' })
    for (const traits of [
      {},
      { $signature: sign('bob', 'guessed') },
      { $signature: sign('eve') },
      { $signature: 7 },
    ])
      await identify('pk', 'bob', { anonymous_id: 'anon-2', traits: { name: 'Eve', ...traits } })
    await identify('both', 'bob', { anonymous_id: 'anon-2' })
    await track('pk', { distinct_id: 'bob', anonymous_id: 'anon-2' })
    expect(await person('bob')).toEqual([])
    expect(await person('anon-2')).toEqual([['anon-2', ['anon-2'], {}, 2]])
    expect(await rejected('bob')).toEqual(Array.from({ length: 5 }, () => ['identify', unsigned]))
  })

  it('has each identify of a request judged by itself', async () => {
    const of = (distinct_id: string, more: Body) => ({ environment: 'production', distinct_id, ...more })
    await send('pk', '/identify', [of('cid', signed('cid')), of('dan', {}), of('eli', signed('eli'))])
    expect(
      [await person('cid'), await person('dan'), await person('eli')].map((rows) => rows.length),
    ).toEqual([1, 0, 1])
    expect(await rejected('dan')).toEqual([['identify', unsigned]])
  })

  it('cannot show the signature of one user for another', async () => {
    await identify('sk', 'gus', { traits: { name: 'Gus' } })
    await identify('pk', 'fay', { anonymous_id: 'gus', ...signed('mal', { name: 'Mal' }) })
    await identify('pk', 'mal', { anonymous_id: 'gus', ...signed('mal') })
    expect(await person('fay')).toEqual([])
    expect(await person('gus')).toEqual([['gus', ['gus'], { name: 'Gus' }, 0]])
    expect(await person('mal')).toMatchObject([['mal', ['mal'], {}, 0]])
  })

  it('says it by a signature with bounds, in its environment and until its time', async () => {
    const hour = 3_600_000
    const identifyBy = async (id: string, given: string) => {
      await identify('pk', id, { traits: { $signature: given } })
      return (await person(id)).length
    }
    const bounded = (id: string, environment: string, until: number, written = until) =>
      `${written}.${createHmac('sha512', identitySecret).update(`${until}\n${environment}\n${id}`).digest('hex')}`
    const later = Date.now() + hour
    expect(await identifyBy('nia', bounded('nia', 'production', later))).toBe(1)
    expect(await identifyBy('oda', bounded('oda', 'staging', later))).toBe(0)
    expect(await identifyBy('pam', bounded('pam', 'production', later - 2 * hour))).toBe(0)
    expect(await identifyBy('pam', bounded('pam', 'production', later - 2 * hour, later))).toBe(0)
    expect(await identifyBy('quinn', bounded('nia', 'production', later))).toBe(0)
    // What one form signs is nothing in the other.
    expect(await identifyBy('rae', `${later}.${sign(`${later}\nproduction\nrae`)}`)).toBe(0)
  })

  it('makes no alias', async () => {
    await identify('sk', 'hal')
    await alias('pk', 'hal', 'ivy')
    expect(await person('hal')).toEqual([['hal', ['hal'], {}, 0]])
    expect(await rejected('hal')).toEqual([['alias', unsigned]])
  })
})

describe('a key of a server', () => {
  it('needs no signature', async () => {
    await track('pk', { distinct_id: 'anon-3' })
    await identify('sk', 'jo', { anonymous_id: 'anon-3', traits: { plan: 'pro' } })
    await alias('sk', 'jo', 'kim')
    await track('sk', { distinct_id: 'kim', anonymous_id: 'anon-4' })
    expect(await person('kim')).toEqual([['kim', ['anon-3', 'anon-4', 'jo', 'kim'], { plan: 'pro' }, 2]])
  })

  it('is not shown to whoever sets up a page', async () => {
    const { body } = await service.get('/setup')
    expect((body['keys'] as { key: string }[]).map(({ key }) => key)).toEqual(['pk', 'both'])
  })
})

it('stores no signature, with or without a secret', async () => {
  const open = await createService()
  try {
    await open.ingest('/identify?sync=true', {
      environment: 'production',
      distinct_id: 'lou',
      ...signed('lou'),
    })
    expect((await open.query("SELECT traits FROM persons WHERE person_id = 'lou'")).rows).toEqual([[{}]])
  } finally {
    await open.close()
  }
  expect(
    (await service.query("SELECT count(*) FROM analytics.raw.traits WHERE name = '$signature'")).rows,
  ).toEqual([[0]])
})
