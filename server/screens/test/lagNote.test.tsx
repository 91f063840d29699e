import { render } from 'preact'
import { act } from 'preact/test-utils'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { login } from '../src/data/login'
import { LagNote } from '../src/shell/ScopeControls'

const root = document.createElement('div')
let answer: () => Promise<Response>

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('fetch', () => answer())
  login.set({ state: 'in', user: undefined })
})

afterEach(async () => {
  await act(() => render(null, root))
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

const pass = (ms: number) =>
  act(async () => {
    await vi.advanceTimersByTimeAsync(ms)
  })

const show = async () => {
  await act(() => render(<LagNote />, root))
  await pass(0)
  return root.textContent
}
const lag = (seconds: number) => () => Promise.resolve(Response.json({ lag_seconds: seconds }))

it('tells how far the figures are behind, and no longer once they are not', async () => {
  answer = lag(125)
  expect(await show()).toBe('Events of the last 2 min 5 s are not stored yet')
  answer = lag(1.2)
  await pass(10_000)
  expect(root.textContent).toBe('')
})

it('says nothing while the service does not answer', async () => {
  answer = () => Promise.reject(new TypeError('away'))
  expect(await show()).toBe('')
})
