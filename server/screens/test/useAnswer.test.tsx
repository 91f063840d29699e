import { render } from 'preact'
import { act } from 'preact/test-utils'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { login } from '../src/data/login'
import { type Asked, useAnswer } from '../src/data/useAnswer'

const user = { user: 'ada', role: 'read' as const, environments: ['production'] }
const root = document.createElement('div')
let asked: Asked
/** The requests so far, each with the means to answer it. */
let requests: { signal: AbortSignal; answer: (rows: number[], status?: number) => Promise<void> }[]

function Probe({ statement }: { statement: string }) {
  asked = useAnswer(statement)
  return null
}

const show = (statement: string) => act(() => render(<Probe statement={statement} />, root))

beforeEach(() => {
  requests = []
  vi.stubGlobal(
    'fetch',
    (_: string, { signal }: { signal: AbortSignal }) =>
      new Promise<Response>((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error))
        const answer = async (rows: number[], status = 200) => {
          const lines = ['{}', '[]', ...rows.map((row) => `[${row}]`), '']
          resolve(new Response(lines.join('\n'), { status }))
          await vi.waitUntil(() => !asked.isLoading || login.get().state === 'expired')
        }
        requests.push({ signal, answer })
      }),
  )
  login.set({ state: 'in', user })
})

afterEach(async () => {
  await act(() => render(null, root))
  vi.unstubAllGlobals()
})

describe('useAnswer', () => {
  it('keeps an answer until the next has come, and drops one that is not wanted any more', async () => {
    await show('SELECT 1')
    expect(asked.isLoading).toBe(true)
    await requests[0]?.answer([1])
    expect(asked).toMatchObject({ isLoading: false, answer: { rows: [[1]] } })

    await show('SELECT 2')
    expect(asked).toMatchObject({ isLoading: true, answer: { rows: [[1]] } })
    await show('SELECT 3')
    expect(requests[1]?.signal.aborted).toBe(true)
    await requests[2]?.answer([3])
    expect(asked.answer?.rows).toEqual([[3]])
  })

  it('is cancelled, which is no failure of the service', async () => {
    await show('SELECT 1')
    asked.cancel()
    await vi.waitUntil(() => asked.problem)
    expect(asked).toMatchObject({ isLoading: false, problem: { kind: 'cancelled' } })
    await act(() => asked.ask())
    await requests[1]?.answer([1])
    expect(asked.problem).toBeUndefined()
  })

  it('asks once more after a new login when the session was over', async () => {
    await show('SELECT 1')
    await requests[0]?.answer([], 401)
    expect(login.get()).toEqual({ state: 'expired', user })
    expect(asked.problem).toBeUndefined()
    await act(() => login.set({ state: 'in', user }))
    await requests[1]?.answer([4])
    expect(asked.answer?.rows).toEqual([[4]])
  })
})
