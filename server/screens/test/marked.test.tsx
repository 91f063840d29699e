import { render } from 'preact'
import { act } from 'preact/test-utils'
import { afterEach, expect, it } from 'vitest'
import type { Setup } from '../src/data/setup'
import { Arrivals } from '../src/pages/setup/Arrivals'

const root = document.createElement('div')
afterEach(() => act(() => render(null, root)))

const none = { ids: 0, times: 0 }
const show = async (marked = none, senders: Setup['senders'] = []) => {
  const given = { progress: { state: 'waiting' as const }, marked, senders, environment: 'production' }
  await act(() => render(<Arrivals {...given} />, root))
  return root.textContent
}

it('says of Set up how many ids and times were a bug’s, and nothing while there are none', async () => {
  expect(await show()).not.toContain('since')
  expect(await show({ ids: 3, times: 0 })).toContain('since the service started: 3.')
  expect(await show({ ids: 0, times: 1200 })).toContain('since the service started: 1,200.')
})

it('says by whose API and SDK events came, the newest first', async () => {
  const at = new Date().toISOString()
  const senders = [
    { sender: 'Segment', sdk: '', events: 1, at },
    { sender: 'PostHog', sdk: 'posthog-node 5.70.0', events: 1200, at },
  ]
  const shown = await show(none, senders)
  expect(shown).toMatch(/By PostHog’s API, SDK posthog-node 5\.70\.0: 1,200 since.*By Segment’s API: 1 since/)
})
