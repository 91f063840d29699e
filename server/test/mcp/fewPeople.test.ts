import { expect, it } from 'vitest'
import { useService } from '../fixtures/useService.js'
import { call, connect } from './agent.js'

const service = useService({ mcpTokens: ['figures-only-token', 'all-of-it-and-persons:persons'] })

it('an agent without persons is told no name and no time of fewer than three people', async () => {
  const figures = await connect(service, 'figures-only-token')
  const all = await connect(service, 'all-of-it-and-persons')
  const of = (distinct_id: string, event: string, properties: object, minute: number) => ({
    ...{ environment: 'staging', event, distinct_id, session_id: distinct_id },
    properties: { browser: 'Firefox', ...properties },
    timestamp: `2026-03-04T05:${String(minute).padStart(2, '0')}:06Z`,
  })
  const view = (id: string, path: string, minute: number) =>
    of(id, '$pageview', { $url: `https://shop.example${path}` }, minute)
  const few = ['a', 'b'].flatMap((id, at) => [
    view(id, '/rare', 10 + at),
    view(id, '/rare/next', 20 + at),
    of(id, 'rare event', { common: 'rare value' }, 30 + at),
    of(id, 'common event', { 'rare property': 'rare value' }, 40 + at),
    of(id, '$error', { message: 'rare error', stack: '' }, 50 + at),
  ])
  // One of two has three sessions with the rare pages.
  const again = ['a-2', 'a-3'].flatMap((session_id) =>
    few.slice(0, 2).map((each) => ({ ...each, session_id })),
  )
  const many = ['a', 'b', 'c', 'd'].flatMap((id) => [
    view(id, '/', 1),
    of(id, 'common event', { common: id }, 2),
  ])
  await service.ingest('/track?sync=true', [...few, ...again, ...many])

  const asked = { environment: 'staging' }
  const given: Record<string, object> = {
    funnel: { steps: ['/', 'rare event'], breakdown: 'common' },
    list_properties: { event: 'common event' },
    breakdown: { property: 'common' },
    sessions: { by: 'entry' },
  }
  const value = {
    text: 'x',
    owner: 'x',
    since: '2026-01-01',
    answers: [{ name: 'funnel', ...given['funnel'], ...asked }],
  }
  await service.ask('/saved', { kind: 'metric', name: 'Conversion', value })
  /** Metrics say by themselves what they are of. */
  const ofMetrics: Record<string, object> = { list_metrics: {}, metric: { name: 'Conversion' } }
  const { tools } = await figures.listTools()
  expect(tools.length).toBeGreaterThan(9)
  for (const { name } of tools) {
    const { isError, text } = await call(figures, name, ofMetrics[name] ?? { ...given[name], ...asked })
    expect([name, isError]).toEqual([name, false])
    expect([name, text.replace('"rare event"', '')]).toEqual([name, expect.not.stringContaining('rare')])
    expect([name, text]).toEqual([name, expect.not.stringMatching(/05:3\d:/)])
  }
  const funnel = await call(figures, 'funnel', { steps: ['/', 'rare event'], ...asked })
  expect(funnel.table.rows.map((row) => row.at(-1))).toEqual([null, null])
  const whole = await call(all, 'funnel', { steps: ['/', 'rare event'], ...asked })
  expect(whole.table.rows.map((row) => row.at(-1))).toEqual([null, 1770])
  await Promise.all([figures.close(), all.close()])
})
