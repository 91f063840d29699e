// @vitest-environment happy-dom
import { describe, expect, it } from 'vitest'
import { createWaymark } from '../../src/entries/index'
import { pageviews } from '../../src/plugins/pageviews'
import { createMemoryTransport } from '../../src/adapters/testing'

describe('a unit test of an application', () => {
  it('sees what was tracked, in a DOM that has no IndexedDB', async () => {
    const memory = createMemoryTransport()
    const waymark = createWaymark().init('pk_test', {
      endpoint: 'https://api.test',
      persistence: 'memory',
      transport: { fetch: memory.fetch },
      plugins: [pageviews()],
    })
    waymark.track('Signed Up', { plan: 'pro' })
    history.pushState(null, '', '/welcome')
    await waymark.flush()
    expect(memory.events('Signed Up')).toMatchObject([{ properties: { plan: 'pro' } }])
    expect(memory.events('$pageview')).toHaveLength(2)
    await waymark.shutdown()
  })
})
