import { render } from 'preact'
import { act } from 'preact/test-utils'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { login } from '../src/data/login'
import { usePolling } from '../src/data/usePolling'

const root = document.createElement('div')
let signals: AbortSignal[]

function Probe() {
  usePolling(
    (signal) => {
      signals.push(signal)
      return Promise.resolve()
    },
    1000,
    [],
  )
  return null
}

const setHidden = (isHidden: boolean) => {
  vi.spyOn(document, 'hidden', 'get').mockReturnValue(isHidden)
  document.dispatchEvent(new Event('visibilitychange'))
}

beforeEach(async () => {
  vi.useFakeTimers()
  signals = []
  login.set({ state: 'in', user: undefined })
  await act(() => render(<Probe />, root))
})

afterEach(async () => {
  await act(() => render(null, root))
  vi.restoreAllMocks()
  vi.useRealTimers()
})

it('usePolling looks again and again, but not while the page is hidden or nobody is logged in', async () => {
  await vi.advanceTimersByTimeAsync(2500)
  expect(signals).toHaveLength(3)
  setHidden(true)
  await vi.advanceTimersByTimeAsync(5000)
  expect(signals).toHaveLength(3)
  setHidden(false)
  expect(signals).toHaveLength(4)

  login.set({ state: 'expired', user: undefined })
  await vi.advanceTimersByTimeAsync(5000)
  expect(signals).toHaveLength(4)
  login.set({ state: 'in', user: undefined })
  expect(signals).toHaveLength(5)
})

it('usePolling ends with what it belongs to', async () => {
  await act(() => render(null, root))
  await vi.advanceTimersByTimeAsync(5000)
  expect(signals).toHaveLength(1)
  expect(signals[0]?.aborted).toBe(true)
})
