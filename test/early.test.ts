// @vitest-environment happy-dom
import { afterEach, describe, expect, it } from 'vitest'
import { publishEarly } from '../src/browser/publishEarly'
import { readTag } from '../src/browser/readTag'

const page = window as unknown as { waymark?: unknown }
afterEach(() => {
  delete page.waymark
})

describe('publishEarly', () => {
  it('writes down when and where each call was made', () => {
    publishEarly()
    history.pushState(null, '', '/first')
    ;(page.waymark as unknown[]).push(['track', 'A', { n: 1 }])
    const at = Date.now()
    history.pushState(null, '', '/second')
    ;(page.waymark as unknown[]).push(['page'], ['track', 'B'])
    const { commands } = readTag()
    expect(commands.map(([name, event]) => [name, event])).toEqual([
      ['track', 'A'],
      ['page', undefined],
      ['track', 'B'],
    ])
    expect(commands.map(({ url }) => url?.replace(/.*\//, ''))).toEqual(['first', 'second', 'second'])
    expect(commands[0]!.calledAt).toBeLessThanOrEqual(at)
    expect(commands[0]!.calledAt).toBeGreaterThan(at - 60_000)
  })

  it('keeps what was called even earlier, and leaves the real object alone', () => {
    page.waymark = [['track', 'Before']]
    publishEarly()
    expect(readTag().commands).toHaveLength(1)
    const real = { track() {} }
    page.waymark = real
    publishEarly()
    expect(page.waymark).toBe(real)
  })
})
