import { describe, expect, it } from 'vitest'
import { createMemoryTransport } from '../../src/adapters/testing'
import { createWorld } from '../world/createWorld'

describe('createMemoryTransport', () => {
  it('accepts everything, and keeps it apart by operation and name', async () => {
    const memory = createMemoryTransport()
    const waymark = createWorld()
      .openTab()
      .init({ transport: { fetch: memory.fetch } })
    const { outcome } = waymark.track('Signed Up', { plan: 'pro' })
    waymark.track('Signed Out')
    waymark.identify('ann', { email: 'ann@test' })
    waymark.alias('ann2')
    expect(await waymark.flush()).toEqual({ sent: 4, left: 0, dropped: 0 })
    expect(await outcome).toMatchObject({ status: 'accepted' })
    expect(memory.events('Signed Up')).toMatchObject([{ kind: 'track', properties: { plan: 'pro' } }])
    expect(memory.events().map(({ event }) => event)).toEqual(['Signed Up', 'Signed Out'])
    expect(memory.payloads.map(({ kind }) => kind)).toEqual(['track', 'track', 'identify', 'alias'])
    expect(memory.payloads[2]).toMatchObject({ distinct_id: 'ann', traits: { email: 'ann@test' } })
    memory.clear()
    expect(memory.events()).toEqual([])
  })
})
