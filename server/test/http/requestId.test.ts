import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createService, type Service } from '../fixtures/createService.js'
import { event } from '../fixtures/events.js'

let service: Service
let lines: string[]
beforeAll(async () => {
  lines = []
  service = await createService({ logLevel: 'debug', writeLog: (line) => lines.push(line) })
})
afterAll(() => service.close())

const idOf = ({ headers }: { headers: Headers }) => headers.get('x-request-id')
const linesOf = (id: string) =>
  lines.map((line) => JSON.parse(line) as Record<string, unknown>).filter((line) => line['request_id'] === id)

describe('the id of a request', () => {
  it('is the one that it was sent with, also for an event', async () => {
    for (const path of ['/track', '/query', '/nowhere'])
      expect(idOf(await service.send('POST', path, '{}', { 'x-request-id': 'trace/1:a=b' }))).toBe(
        'trace/1:a=b',
      )
  })

  it.each(['a b', 'x'.repeat(129), 'a"b', 'a,b', ''])('is a new one when %j was sent', async (sent) => {
    const id = idOf(await service.send('GET', '/healthz', undefined, { 'x-request-id': sent }))
    expect(id).toMatch(/^[\da-f-]{36}$/)
  })

  it('stands in every answer but those to events that went well', async () => {
    expect(idOf(await service.ingest('/track', event('fine')))).toBeNull()
    const failed = await service.ingest('/track', { ...event('wrong'), properties: { $weird: 1 } })
    expect(idOf(failed)).toMatch(/^[\da-f-]{36}$/)
    expect(idOf(await service.get('/session'))).toMatch(/^[\da-f-]{36}$/)
  })

  it('stands in the lines of both processes', async () => {
    await service.send('POST', '/query?secret=1', '{"statement":"SELECT 1","format":"jsonl"}', {
      'x-request-id': 'both',
      authorization: `Basic ${Buffer.from('ada:lovelace').toString('base64')}`,
    })
    const told = {
      level: 'debug',
      message: 'A request was answered.',
      method: 'POST',
      path: '/query',
      status: 200,
    }
    expect(linesOf('both')).toEqual([expect.objectContaining(told), expect.objectContaining(told)])
    expect(linesOf('both')[0]).toHaveProperty('duration_ms')
    expect(lines.join('')).not.toContain('secret')
  })

  it('stands beside a wrong password', async () => {
    await service.send('GET', '/session', undefined, {
      'x-request-id': 'wrong',
      authorization: `Basic ${Buffer.from('ada:byron').toString('base64')}`,
    })
    expect(linesOf('wrong')).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        message: 'A password was wrong.',
        user: 'ada',
        address: '127.0.0.1',
      }),
    )
  })
})
