import { render } from 'preact'
import { act } from 'preact/test-utils'
import { afterEach, expect, it, vi } from 'vitest'
import type { Ask } from '../src/data/asks'

const root = document.createElement('div')
document.body.append(root)
afterEach(() => {
  void act(() => render(null, root))
  vi.unstubAllGlobals()
})

/** The names of all that a page asks with a filter, by whether they are of that filter. */
async function asksOn(path: string, search: string) {
  const names = { filtered: new Set<string>(), whole: new Set<string>() }
  vi.resetModules()
  vi.stubGlobal('location', new URL(`https://a.example${path}?filter=event%7Cis%7COrder+Placed&${search}`))
  vi.stubGlobal('fetch', (to: string, { body }: { body?: string } = {}) => {
    if (to.endsWith('/answer')) {
      const { name, where } = JSON.parse(body!) as Ask
      names[where ? 'filtered' : 'whole'].add(name)
    }
    const user = { user: 'ada', role: 'write', environments: ['production'] }
    return Promise.resolve(new Response(to === '/session' ? JSON.stringify(user) : '{}\n[]\n'))
  })
  const { App } = await import('../src/shell/App')
  const { findLogin } = await import('../src/data/login')
  await act(async () => {
    await findLogin()
    render(<App />, root)
  })
  return {
    has: (...all: string[]) =>
      vi.waitFor(() => expect([...names.filtered, ...names.whole]).toEqual(expect.arrayContaining(all))),
    ...names,
  }
}

it.each([
  ['/app/explore', 'show=sum&property=price', ['event_choices', 'property_choices']],
  ['/app/funnel', 'step=a&step=b', ['event_choices', 'property_choices']],
  ['/app/retention', '', ['event_choices']],
  ['/app/paths', '', ['path_choices']],
])('%s offers what there is of all, and not what the filters leave', async (path, search, lists) => {
  const { has, filtered, whole } = await asksOn(path, search)
  await has('bot_events', ...lists)
  expect([...filtered].filter((name) => name.endsWith('_choices'))).toEqual([])
  expect([...whole]).toEqual(expect.arrayContaining(lists))
  expect(filtered).toContain('bot_events')
})

it('Live, too, shows what the filters leave', async () => {
  const { has, filtered } = await asksOn('/app/live', '')
  await has('bot_events')
  expect([...filtered]).toEqual(expect.arrayContaining(['bot_events', 'newest_events']))
})
