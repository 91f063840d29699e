import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { basic } from '../fixtures/createService.js'
import { useService } from '../fixtures/useService.js'

const service = useService()

const appendPath = '/append?catalog=lakehouse&schema=main&table=packed&sync=true'
const paths = ['/query', '/validate', appendPath]
const bodyOf = (path: string) => (path.startsWith('/append') ? '{"a":1}' : '{"statement":"SELECT 1"}')
const post = (path: string, body: string | Buffer, coding: string) =>
  fetch(service.url + path, {
    method: 'POST',
    headers: { authorization: basic, 'content-encoding': coding },
    body: body as NonNullable<RequestInit['body']>,
  })

it.each(paths)('%s takes gzip, and refuses what it does not know', async (path) => {
  const body = bodyOf(path)
  expect((await post(path, gzipSync(body), 'gzip')).status).toBe(200)
  expect((await post(path, body, 'identity')).status).toBe(200)
  expect((await post(path, body, 'br')).status).toBe(415)
  const damaged = await post(path, body, 'gzip')
  expect(await damaged.text()).toContain('not the gzip data')
})

it('a body that unpacks to more than it may have is refused', async () => {
  const bomb = gzipSync(JSON.stringify({ a: ' '.repeat(65 * 2 ** 20) }))
  expect((await post(appendPath, bomb, 'gzip')).status).toBe(413)
})

it.each(['/query', '/validate', '/answer', '/saved'])('%s refuses half a character', async (path) => {
  const halves = { statement: 'SELECT 1', name: { deep: ['\ud83d'] } }
  const headers = { authorization: basic, 'content-type': 'application/json' }
  const response = await fetch(service.url + path, { method: 'POST', headers, body: JSON.stringify(halves) })
  expect(await response.json()).toMatchObject({
    error: 'invalid-body',
    message: 'The body: the field "name" holds half a character.',
  })
})

it('answers with rows stay in no cache, and no JSON is taken for something else', async () => {
  const headersOf = async (path: string) =>
    (await fetch(service.url + path, { headers: { authorization: basic } })).headers
  const formats = ['default', 'csv', 'jsonl', 'parquet', 'arrow'].map((each) => `&format=${each}`)
  for (const more of ['', ...formats]) {
    const headers = await headersOf(`/query?statement=SELECT%201${more}`)
    expect([headers.get('cache-control'), headers.get('x-content-type-options')]).toEqual([
      'no-store',
      'nosniff',
    ])
  }
  expect((await headersOf('/nowhere')).get('x-content-type-options')).toBe('nosniff')
})
