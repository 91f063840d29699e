import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createService, type Service } from '../fixtures/createService.js'

let service: Service
beforeAll(async () => {
  service = await createService()
})
afterAll(() => service.close())

describe('the address of the service', () => {
  it('opens a page that says what it is and where the docs are, also from a link of another site', async () => {
    const answer = await fetch(service.url, { headers: { 'sec-fetch-site': 'cross-site' } })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const text = await answer.text()
    expect(text).toContain('waymark-server is running')
    expect(text).toContain('docs/service.md')
  })

  it('answers HEAD without the page', async () => {
    const answer = await fetch(service.url, { method: 'HEAD' })
    expect([answer.status, await answer.text()]).toEqual([200, ''])
  })
})
