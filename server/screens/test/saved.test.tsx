import { render } from 'preact'
import { act } from 'preact/test-utils'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { login } from '../src/data/login'
import { loadSaved, save, useSaved } from '../src/data/saved'
import { useAnnotationMarks, type ChartMark } from '../src/parts/marks'

const root = document.createElement('div')
const period = { from: new Date('2026-07-01T00:00:00Z'), until: new Date('2026-07-08T00:00:00Z') }
let goals: readonly string[]
let marks: readonly ChartMark[]

function Probe() {
  goals = useSaved('goal').map(({ name }) => name)
  marks = useAnnotationMarks(period)
  return null
}

/** What the service answers, and the bodies that it was sent. */
let rows: unknown[][]
let status: number
let sent: unknown[]

beforeEach(() => {
  ;[rows, status, sent] = [[], 200, []]
  vi.stubGlobal('fetch', (path: string, { body }: { body: string }) => {
    if (path.endsWith('/saved')) {
      sent.push(JSON.parse(body))
      return Promise.resolve(new Response(JSON.stringify({ message: 'There are 500.' }), { status }))
    }
    const lines = ['{}', '[]', ...rows.map((row) => JSON.stringify(row)), '']
    return Promise.resolve(new Response(lines.join('\n'), { status }))
  })
  login.set({ state: 'in', user: { user: 'ada', role: 'write', environments: ['production'] } })
})
afterEach(() => act(() => render(null, root)))

const note = (at: string) => ['annotation', at, { at, text: at }]

it('shows what was saved at once, and the annotations of the time alone', async () => {
  await act(() => render(<Probe />, root))
  rows = [
    ['goal', 'An order', { event: 'Order Placed' }],
    ...['2026-06-30T23:59:59.000Z', '2026-07-07T23:00:00.000Z', '2026-07-08T00:00:00.000Z'].map(note),
  ]
  const value = { event: 'Order Placed' }
  await act(() => save('goal', { name: 'An order', value, was: 'Order' }))
  expect(sent).toEqual([{ kind: 'goal', name: 'An order', value, was: 'Order' }])
  expect(goals).toEqual(['An order'])
  expect(marks.map(({ text }) => text)).toEqual(['2026-07-07T23:00:00.000Z'])
})

it('tells why something was not saved, and keeps what was known', async () => {
  rows = [['goal', 'known', { event: 'x' }]]
  await act(() => render(<Probe />, root))
  await act(() => loadSaved())
  status = 409
  await expect(save('goal', { name: 'one more', value: { event: 'x' } })).rejects.toThrow('There are 500.')
  await act(() => loadSaved())
  expect(goals).toEqual(['known'])
})

it('shows the login form when the session is over', async () => {
  status = 401
  await expect(save('view', { name: 'x', value: null })).rejects.toMatchObject({ kind: 'login' })
  expect(login.get().state).toBe('expired')
})
