import { render } from 'preact'
import { act } from 'preact/test-utils'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { login } from '../src/data/login'
import { SqlPage } from '../src/pages/sql/SqlPage'
import { sqlPageAddress } from '../src/parts/ShowSql'
import { listenToLinks, place } from '../src/address/location'
import { ScopeProvider } from '../src/address/scope'

const root = document.createElement('div')
document.body.append(root)
/** What was asked of the service: the path, and the statement with whether it may only read. */
let asked: { path: string; statement: string; sanitize?: boolean }[]

const foreign = 'SELECT len(range(2000000000))'
const about = (statement: string) => asked.filter((each) => each.statement === statement)

/** As a browser does it: another page's link has no state, and going back has that of then. */
const arrive = (statement: string) =>
  act(() => {
    history.pushState(null, '', `/app/sql?${new URLSearchParams({ q: statement }).toString()}`)
    dispatchEvent(new PopStateEvent('popstate'))
  })
const show = async () => {
  await act(() => render(null, root))
  await act(() =>
    render(
      <ScopeProvider>
        <SqlPage />
      </ScopeProvider>,
      root,
    ),
  )
}
const editor = () => root.querySelector('textarea')!
const run = () =>
  act(() => [...root.querySelectorAll('button')].find(({ textContent }) => textContent === 'Run')!.click())
const wait = () =>
  act(async () => {
    await vi.advanceTimersByTimeAsync(5000)
  })
const hasNote = () => root.textContent.includes('This statement came by a link. Read it, then run it.')

beforeAll(listenToLinks)

beforeEach(() => {
  vi.useFakeTimers()
  asked = []
  vi.stubGlobal('fetch', (path: string, { body }: { body?: string } = {}) => {
    const { statement = '', sanitize } = JSON.parse(body ?? '{}') as Partial<(typeof asked)[0]>
    asked.push({ path, statement, ...(sanitize === undefined ? {} : { sanitize }) })
    return Promise.resolve(new Response(path === '/query' ? '{}\n[]\n[1]\n' : '{"valid":true}'))
  })
  login.set({ state: 'in', user: { user: 'ada', role: 'write', environments: ['production'] } })
})

afterEach(async () => {
  await act(() => render(null, root))
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

describe('a statement in the address of the SQL page', () => {
  it('of a link that the screens did not make is shown, and nothing is asked about it before a click', async () => {
    await arrive(foreign)
    await show()
    await wait()
    expect(editor().value).toBe(foreign)
    expect(hasNote()).toBe(true)
    // Not by /validate either, which computes what is constant.
    expect(about(foreign)).toEqual([])

    await run()
    expect(about(foreign)).toEqual([{ path: '/query', statement: foreign, sanitize: false }])
    expect(hasNote()).toBe(false)
    expect(new URLSearchParams(location.search).get('q')).toBe(foreign)
  })

  it('is run by itself once it was run by a click, and may only read then', async () => {
    await arrive(foreign)
    await show()
    await run()
    asked = []
    // As after a reload.
    await show()
    expect(about(foreign)).toEqual([{ path: '/query', statement: foreign, sanitize: true }])
    expect(hasNote()).toBe(false)
  })

  it('of a link on another page of the screens is run by itself', async () => {
    await arrive(foreign)
    await show()
    const link = document.createElement('a')
    link.href = sqlPageAddress('SELECT 2', new URLSearchParams())
    root.append(link)
    await act(() => link.click())
    link.remove()
    expect(place.get().search.get('q')).toBe('SELECT 2')
    expect(editor().value).toBe('SELECT 2')
    expect(about('SELECT 2')).toEqual([{ path: '/query', statement: 'SELECT 2', sanitize: true }])
    expect([about(foreign), hasNote()]).toEqual([[], false])
  })

  it('waits when somebody goes back to it, and takes the result of another one away', async () => {
    await arrive('SELECT 1')
    await show()
    await run()
    await arrive(foreign)
    await wait()
    expect([editor().value, hasNote(), about(foreign)]).toEqual([foreign, true, []])
    expect(root.querySelector('.sql-status')).toBeNull()
  })
})
