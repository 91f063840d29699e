import { render } from 'preact'
import { act } from 'preact/test-utils'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Ask } from '../src/data/asks'
import { findRefusal } from '../src/address/guestAddress'
import { readAsk } from '../../src/answers/answers.js'
import { isShown, keepForGuests } from '../../src/guests/GuestLinks.js'

const id = '0123456789abcdef'
const root = document.createElement('div')
document.body.append(root)

/** What was sent: a guest's questions, and the addresses of all requests. */
let asked: (Ask & { timezone?: string })[]
let addresses: string[]

/** Draws the screens at an address, and waits until they have asked. */
async function draw(address: string, answerOf: (path: string, body: string | undefined) => string) {
  ;[asked, addresses] = [[], []]
  vi.resetModules()
  vi.stubGlobal('location', new URL(`https://a.example${address}`))
  vi.stubGlobal('fetch', (path: string, { body }: { body?: string } = {}) => {
    addresses.push(path)
    if (body !== undefined) asked.push(JSON.parse(body) as Ask)
    return Promise.resolve(new Response(answerOf(path, body)))
  })
  const { App } = await import('../src/shell/App')
  const { findLogin } = await import('../src/data/login')
  await act(async () => {
    await findLogin()
    render(<App />, root)
  })
  await vi.waitFor(() => expect(asked.length).toBeGreaterThan(0))
  await act(() => new Promise((resolve) => setTimeout(resolve, 50)))
}

/** What the link of a user to a page shows. */
async function share(path: string, search: string) {
  const user = { user: 'ada', role: 'write', environments: ['production'] }
  const rows = (body: string | undefined) =>
    body?.includes('"saved"') ? '{}\n[]\n["goal","An order",{"event":"x"}]\n' : '{}\n[]\n'
  await draw(`${path}?${search}`, (to, body) => (to === '/session' ? JSON.stringify(user) : rows(body)))
  const { shownAsks } = await import('../src/data/shownAsks')
  const link = { environment: 'production', answers: shownAsks() }
  await act(() => render(null, root))
  return { ...link, path, search, answers: keepForGuests(link) }
}

/** Opens the screens as a guest of a link, at an address below it. */
const open = (link: { path: string | null; search: string }, below = '') =>
  draw(`/app/guest/${id}/${below}#token`, (_, body) =>
    body === undefined
      ? JSON.stringify({ name: 'Ours', goals: [{ name: 'An order', value: { event: 'x' } }], ...link })
      : '{}\n[]\n',
  )

afterEach(() => {
  void act(() => render(null, root))
  vi.unstubAllGlobals()
})

const searches: Record<string, string> = {
  '/app/': 'goal=An+order&filter=browser%7Cis%7CFirefox&by_sources=channel&more=Pages',
  '/app/explore': 'show=people&by=country&filter=path%7Ccontains%7Cx',
  '/app/funnel': 'step=a&step=%2Fb&by=%24browser&people=reached-1&within=1d',
  '/app/retention': 'first=a&unit=day&everybody=1',
  '/app/paths': 'start=%2Fa&depth=2&fold=%2Fb%2F*',
  '/app/vitals': 'vital=CLS&vs=none',
  '/app/errors': 'by=browser',
}

describe('as a guest', () => {
  it.each(Object.entries(searches))('%s asks nothing but what the link shows', async (path, search) => {
    const page = await share(path, `env=production&${search}`)
    for (const link of [
      page,
      { path: null, search: 'env=production', environment: 'production', answers: null },
    ]) {
      await open(link, link.path === null ? `${path.slice('/app/'.length)}?${search}` : '?range=7d')
      const refused = asked.filter(({ timezone, ...ask }) => !isShown(link, readAsk(ask, timezone)))
      expect(refused).toEqual([])
      expect(new Set(addresses)).toEqual(new Set(['/guest']))
      expect(root.querySelectorAll('.card').length).toBeGreaterThan(0)
      for (const name of ['⋯', 'SQL', 'CSV', 'Log out', 'Views'])
        expect([...root.querySelectorAll('a, button')].map(({ textContent }) => textContent)).not.toContain(
          name,
        )
    }
  })

  it('one page keeps its filters, and takes another time', async () => {
    const link = { path: '/app/', search: 'env=production&filter=browser%7Cis%7CFirefox&range=7d' }
    await open(link, 'funnel?filter=browser%7Cis%7CSafari&env=staging&range=90d&bots=1')
    const { place, addressOf } = await import('../src/address/location')
    expect(place.get().path).toBe('/app/')
    expect(place.get().search.toString()).toBe('env=production&filter=browser%7Cis%7CFirefox&range=90d')
    expect(addressOf('/app/', new URLSearchParams('range=7d'))).toBe(`/app/guest/${id}/?range=7d#token`)
    expect(root.querySelector('.filters')?.textContent).toContain('Browser is Firefox')
    expect(root.querySelector('.filters button')).toBe(null)
    expect(root.querySelector('.filter-form')).toBe(null)
  })
})

it('a page of persons, a person or a trait is not shared', () => {
  for (const [path, search] of [
    ['/app/persons', ''],
    ['/app/sql', ''],
    ['/app/plan', ''],
    ['/app/', 'filter=person_id%7Cis%7Ca'],
    ['/app/', 'filter=trait.plan%7Cis%7Cpro'],
    ['/app/explore', 'by=session_id'],
  ] as const)
    expect([path, search, typeof findRefusal({ path, search }, false)]).toEqual([path, search, 'string'])
  expect(findRefusal({ path: '/app/', search: 'filter=prop.plan%7Cis%7Cpro' }, false)).toBeUndefined()
})
