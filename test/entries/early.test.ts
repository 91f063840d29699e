// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Command } from '../../src/core/types'

const page = window as unknown as { waymark?: unknown }
// @ts-expect-error: a script, and no module
const runEarly = () => import('../../src/entries/early')

beforeEach(() => vi.resetModules())
afterEach(() => {
  delete page.waymark
})

describe('waymark.early.js', () => {
  it('writes down when and where each call was made', async () => {
    await runEarly()
    const commands = page.waymark as Command[]
    vi.useFakeTimers({ toFake: ['Date'], now: 5000 })
    history.pushState(null, '', '/first')
    commands.push(['track', 'A', { n: 1 }])
    vi.setSystemTime(6000)
    history.pushState(null, '', '/second')
    commands.push(['page'], ['track', 'B'])
    vi.useRealTimers()
    const noted = commands.map(([name, event, ...rest], n) => {
      const { calledAt, url } = commands[n]!
      return { name, event, rest, calledAt, at: url?.replace(/.*\//, '') }
    })
    expect(noted).toEqual([
      { name: 'track', event: 'A', rest: [{ n: 1 }], calledAt: 5000, at: 'first' },
      { name: 'page', event: undefined, rest: [], calledAt: 6000, at: 'second' },
      { name: 'track', event: 'B', rest: [], calledAt: 6000, at: 'second' },
    ])
  })

  it('keeps what was called even earlier', async () => {
    page.waymark = [['track', 'Before']]
    await runEarly()
    ;(page.waymark as Command[]).push(['track', 'After'])
    expect((page.waymark as Command[]).map(([, event]) => event)).toEqual(['Before', 'After'])
  })

  it('leaves the real object alone', async () => {
    const real = { track() {} }
    page.waymark = real
    await runEarly()
    expect(page.waymark).toBe(real)
    expect(Object.keys(real)).toEqual(['track'])
  })
})
