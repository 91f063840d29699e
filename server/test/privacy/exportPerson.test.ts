import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { basic, type Body } from '../fixtures/createService.js'
import { event } from '../fixtures/events.js'
import { setAside, settingAside } from '../fixtures/setAside.js'
import { useService } from '../fixtures/useService.js'

const service = useService(settingAside)

const environment = 'production'
const ask = (id: string) =>
  fetch(`${service.url}/persons/export`, {
    method: 'POST',
    headers: { authorization: basic },
    body: JSON.stringify({ environment, id }),
  })
const linesOf = async (id: string): Promise<Body[]> =>
  (await (await ask(id)).text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Body)

it('tells all that is stored of a person, whichever id it is asked by, and says so in the log', async () => {
  const timestamp = Date.parse('2026-03-01T10:00:00.250Z')
  await service.ingest('/track', [
    event('Opened', {
      anonymous_id: 'anon',
      timestamp,
      properties: { $url: 'https://a.example/b', n: 12345678901234567890n.toString() },
    }),
    event('Opened', { anonymous_id: 'somebody', timestamp }),
    event('Opened', { anonymous_id: 'anon', environment: 'staging' }),
  ])
  await service.ingest('/identify', {
    ...{
      environment,
      distinct_id: 'user',
      anonymous_id: 'anon',
      timestamp,
      traits: { plan: 'free', name: 'Ada' },
    },
  })
  await service.ingest('/identify', {
    environment,
    distinct_id: 'user',
    timestamp: timestamp + 1,
    traits: { plan: 'pro' },
  })
  await setAside(service, 'user', { a: 1 })
  const lines = await linesOf('anon')
  const person = lines[0]?.['logged_as']
  const at = '2026-03-01T10:00:00.250Z'
  expect(lines).toMatchObject([
    {
      ...{ kind: 'person', environment, person_id: 'user', distinct_ids: ['anon', 'user'], events: 1 },
      ...{ traits: { name: 'Ada', plan: 'pro' }, first_seen: at, last_seen: '2026-03-01T10:00:00.251Z' },
    },
    {
      kind: 'event',
      event: 'Opened',
      anonymous_id: 'anon',
      timestamp: at,
      url: 'https://a.example/b',
      properties: { n: '12345678901234567890' },
    },
    { kind: 'trait', distinct_id: 'user', name: 'name', value: 'Ada' },
    { kind: 'trait', distinct_id: 'user', name: 'plan', value: 'free', timestamp: at },
    { kind: 'trait', distinct_id: 'user', name: 'plan', value: 'pro' },
    { kind: 'identity', distinct_id: 'anon', person_id: 'user', identified: false },
    { kind: 'identity', distinct_id: 'user', person_id: 'user', identified: true },
    { kind: 'rejected', sent_as: 'identify', record: { distinct_id: 'user', traits: { a: 1 } } },
    { kind: 'end', events: 1, traits: 3, identities: 2, rejected: 1 },
  ])
  expect(await linesOf('user')).toHaveLength(lines.length)
  const { rows } = await service.query(
    `SELECT duty, asked_by, environment, person, events, traits, identities, rejected FROM privacy_log
     WHERE person = '${String(person)}'`,
  )
  expect(rows[0]).toEqual(['export', 'ada', environment, person, 1, 3, 2, 1])
  expect(JSON.stringify(rows)).not.toContain('anon')
})

it('is answered 404 when nobody has the id', async () => {
  const answer = await ask('nobody')
  expect([answer.status, await answer.json()]).toEqual([
    404,
    { error: 'person-not-found', message: expect.stringContaining('has the id nobody') },
  ])
})

it('is refused without a password', async () => {
  expect(await service.send('POST', '/persons/export', '{}')).toMatchObject({ status: 401 })
})

it('gives each of many events once, and goes on after clients that leave in the middle', async () => {
  const events = Array.from({ length: 20_000 }, (_, n) =>
    event('Often', { distinct_id: 'busy', properties: { n, padding: 'x'.repeat(200) } }),
  )
  await service.ingest('/track', events)
  for (let leaver = 0; leaver < 4; leaver++) {
    const { port } = new URL(service.url)
    const body = JSON.stringify({ environment, id: 'busy' })
    const socket = connect(Number(port), '127.0.0.1')
    socket.write(
      `POST /persons/export HTTP/1.1\r\nHost: a\r\nAuthorization: ${basic}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    )
    await new Promise((resolve) => socket.once('data', resolve))
    socket.destroy()
  }
  const lines = await linesOf('busy')
  expect(lines.at(-1)).toEqual({ kind: 'end', events: 20_000, traits: 0, identities: 1, rejected: 0 })
  const numbers = lines.slice(1, 20_001).map(({ properties }) => (properties as { n: number }).n)
  expect(numbers.toSorted((a, b) => a - b)).toEqual(events.map((_, n) => n))
})
