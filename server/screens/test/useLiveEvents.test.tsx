import { render } from 'preact'
import { act } from 'preact/test-utils'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { login } from '../src/data/login'
import { mostEvents, useLiveEvents } from '../src/pages/live/useLiveEvents'

const root = document.createElement('div')
let shown: ReturnType<typeof useLiveEvents>
/** What was asked for, by the parameter that bounds it. */
let asked: string[]
/** The ids of the rows that the next answers have. */
let answers: number[][]

function Probe() {
  shown = useLiveEvents({ environment: 'production', bots: false, event: null }, false)
  return null
}

const row = (id: number) => [id, '2026-07-01T10:00:00Z', '2026-07-01T10:00:00Z', 'e', 'p', 'Ada', null, {}]
const bound = /"(?:reach":"\w+"|after":\d+)/
const startPolling = () => act(() => render(<Probe />, root))

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  asked = []
  answers = []
  vi.stubGlobal('fetch', (_: string, { body }: { body: string }) => {
    asked.push(bound.exec(body)?.[0] ?? 'ever')
    const lines = [{}, [], ...(answers.shift() ?? []).map(row)].map((line) => `${JSON.stringify(line)}\n`)
    return Promise.resolve(new Response(lines.join('')))
  })
  login.set({ state: 'in', user: undefined })
})

afterEach(async () => {
  await act(() => render(null, root))
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

describe('useLiveEvents', () => {
  it('looks further back until there are enough, and then for what came after the newest', async () => {
    const many = Array.from({ length: mostEvents }, (_, at) => 500 - at)
    answers = [[500], many, [502, 501]]
    await startPolling()
    await vi.waitUntil(() => shown.events)
    expect(asked).toEqual(['"reach":"hour"', '"reach":"day"'])
    expect(shown.reach).toBe('day')

    await vi.advanceTimersByTimeAsync(2000)
    await vi.waitUntil(() => shown.events?.[0]?.id === 502)
    expect(asked.at(-1)).toBe('"after":500')
    expect(shown.events).toHaveLength(mostEvents)
    expect(shown.events?.map(({ id }) => id).slice(0, 4)).toEqual([502, 501, 500, 499])
  })

  it('looks through everything once where there is nothing, and then through the last hour', async () => {
    await startPolling()
    await vi.waitUntil(() => shown.events)
    expect(asked).toEqual(['"reach":"hour"', '"reach":"day"', '"reach":"month"', 'ever'])
    answers = [[7]]
    await vi.advanceTimersByTimeAsync(2000)
    await vi.waitUntil(() => shown.events?.length === 1)
    expect(asked.slice(4)).toEqual(['"reach":"hour"'])
  })
})
