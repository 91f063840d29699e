import { render } from 'preact'
import { act } from 'preact/test-utils'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { dialects } from '../../src/sql/dialects/dialects'
import { login } from '../src/data/login'
import { history as past } from '../src/pages/sql/history'
import { SqlPage } from '../src/pages/sql/SqlPage'
import { listenToLinks } from '../src/address/location'
import { ScopeProvider } from '../src/address/scope'

const root = document.createElement('div')
document.body.append(root)
const written = 'SELECT IFNULL(NULL, 1)'
const translated = 'SELECT COALESCE(NULL, 1)'
let asked: { path: string; statement: string; dialect?: string; sanitize?: boolean }[]

const show = async (search: Record<string, string>, isOwn = true) => {
  await act(() => {
    history.pushState({ isOwn }, '', `/app/sql?${new URLSearchParams(search).toString()}`)
    dispatchEvent(new PopStateEvent('popstate'))
  })
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
const select = () => root.querySelector('select')!
const choose = (value: string) =>
  act(() => {
    select().value = value
    select().dispatchEvent(new Event('change', { bubbles: true }))
  })
const press = (name: string) =>
  act(() => [...root.querySelectorAll('button')].find(({ textContent }) => textContent === name)!.click())
const wait = () =>
  act(async () => {
    await vi.advanceTimersByTimeAsync(5000)
  })
const about = (path: string) =>
  asked.filter((each) => each.path.startsWith(path) && each.statement === written)
const searched = () => new URLSearchParams(location.search)

beforeAll(listenToLinks)
beforeEach(() => {
  vi.useFakeTimers()
  localStorage.clear()
  asked = []
  vi.stubGlobal('fetch', (path: string, { body }: { body?: string } = {}) => {
    const { statement = '', dialect, sanitize } = JSON.parse(body ?? '{}') as Partial<(typeof asked)[0]>
    asked.push({
      path,
      statement,
      ...(dialect !== undefined && { dialect }),
      ...(sanitize !== undefined && { sanitize }),
    })
    const run = dialect === undefined ? statement : translated
    return Promise.resolve(
      new Response(
        path === '/query'
          ? `{"statement":${JSON.stringify(run)}}\n[]\n[1]\n`
          : JSON.stringify({ statement: run, valid: true, error: null }),
      ),
    )
  })
  login.set({ state: 'in', user: { user: 'ada', role: 'write', environments: ['production'] } })
})
afterEach(async () => {
  await act(() => render(null, root))
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

describe('the dialect of a statement', () => {
  it('is one of those that the service translates', async () => {
    await show({})
    const offered = [...select().options].map(({ value, textContent }) => [value, textContent])
    expect(offered).toEqual([['', 'DuckDB'], ...Object.entries(dialects)])
  })

  it('is DuckDB at first, and then nothing is sent or shown of it', async () => {
    await show({ q: written })
    await wait()
    expect(select().selectedOptions[0]!.textContent).toBe('DuckDB')
    expect(asked.every(({ dialect }) => dialect === undefined)).toBe(true)
    expect(root.querySelector('.sql-translation')).toBeNull()
  })

  it('is looked at and shown in DuckDB’s SQL once it is chosen, and in the address once it is run', async () => {
    await show({ q: written })
    await wait()
    await choose('mysql')
    await wait()
    expect(about('/validate').at(-1)).toEqual({ path: '/validate', statement: written, dialect: 'mysql' })
    expect(root.querySelector('.sql-translation pre')!.textContent).toBe(translated)
    expect(searched().get('dialect')).toBeNull()
    await press('Run')
    expect(about('/query').at(-1)).toMatchObject({ dialect: 'mysql', sanitize: false })
    expect([searched().get('q'), searched().get('dialect')]).toEqual([written, 'mysql'])
    await wait()
    // A download runs what was run.
    const links = [...root.querySelectorAll<HTMLAnchorElement>('.sql-downloads a')]
    expect(links.map(({ href }) => new URL(href).searchParams.get('statement'))).toEqual(
      Array(3).fill(translated),
    )
    expect(past.get()).toMatchObject([{ statement: written, dialect: 'mysql' }])
  })

  it('comes from the address, also one that the service will refuse', async () => {
    await show({ q: written, dialect: 'db2' })
    expect(select().selectedOptions[0]!.textContent).toBe('db2')
    expect(about('/query')).toEqual([{ path: '/query', statement: written, dialect: 'db2', sanitize: true }])
  })

  it('does not run the statement of a foreign link by being chosen', async () => {
    await show({ q: written, dialect: 'tsql' }, false)
    await choose('mysql')
    await wait()
    expect(about('/')).toEqual([])
    await press('Run')
    expect(about('/query')).toMatchObject([{ dialect: 'mysql', sanitize: false }])
  })
})
