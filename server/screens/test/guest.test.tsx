import { render } from 'preact'
import { act } from 'preact/test-utils'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type Asked, findRefusal, guestStatements } from '../src/guest/guestStatements'

const id = '0123456789abcdef'
const root = document.createElement('div')
document.body.append(root)

/** What was sent: a guest's questions, and the addresses of all requests. */
let asked: (Asked & { statement: string })[]
let addresses: string[]

/** Opens the screens as a guest of a link, at an address below it. */
async function open(link: { path: string | null; search: string }, below = '') {
  ;[asked, addresses] = [[], []]
  vi.resetModules()
  vi.stubGlobal('location', new URL(`https://a.example/app/guest/${id}/${below}#token`))
  vi.stubGlobal('fetch', (address: string, { body, credentials }: RequestInit) => {
    addresses.push(address)
    expect(credentials).toBe('omit')
    if (!body) return Promise.resolve(new Response(JSON.stringify({ name: 'Ours', goals: [], ...link })))
    asked.push(JSON.parse(String(body)) as (typeof asked)[number])
    return Promise.resolve(new Response('{}\n[]\n'))
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
  it.each(Object.entries(searches))('%s asks nothing but what the service makes', async (path, search) => {
    for (const link of [
      { path, search: `env=production&${search}` },
      { path: null, search: 'env=production' },
    ]) {
      await open(link, link.path === null ? `${path.slice('/app/'.length)}?${search}` : '')
      const refused = asked.filter(
        ({ statement, ...question }) => !guestStatements(link, question).includes(statement),
      )
      expect(refused.map(({ statement }) => statement)).toEqual([])
      expect(new Set(addresses)).toEqual(new Set(['/guest']))
      expect(root.querySelectorAll('.card').length).toBeGreaterThan(0)
      for (const name of ['SQL', 'CSV', 'Log out', 'Views'])
        expect([...root.querySelectorAll('a, button')].map(({ textContent }) => textContent)).not.toContain(
          name,
        )
    }
  })

  it('one page keeps its filters, and takes another time', async () => {
    const link = { path: '/app/', search: 'env=production&filter=browser%7Cis%7CFirefox&range=7d' }
    await open(link, 'funnel?filter=browser%7Cis%7CSafari&env=staging&range=90d&bots=1')
    const { place, addressOf } = await import('../src/shell/location')
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
