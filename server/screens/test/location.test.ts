import { describe, expect, it, vi } from 'vitest'
import { addressOf, changeSearch } from '../src/address/location'

describe('changeSearch', () => {
  it('sets, replaces and removes parameters and leaves the others', () => {
    const before = new URLSearchParams('env=staging&step=a&step=b&path=%2F')
    const after = changeSearch(before, { step: ['c', 'd & e'], path: undefined, range: '7d' })
    expect(after.toString()).toBe('env=staging&step=c&step=d+%26+e&range=7d')
    expect(before.getAll('step')).toEqual(['a', 'b'])
    expect(changeSearch(after, { step: [] }).has('step')).toBe(false)
  })
})

describe('addressOf', () => {
  it('keeps what a proxy leaves before the path', async () => {
    expect(addressOf('/app/live')).toBe('/app/live')
    vi.resetModules()
    vi.stubGlobal('location', new URL('https://shop.example/app/w/app/funnel?step=a'))
    const { addressOf: behindProxy, place } = await import('../src/address/location')
    expect(behindProxy('/app/persons', new URLSearchParams({ id: 'a/b' }))).toBe(
      '/app/w/app/persons?id=a%2Fb',
    )
    expect(place.get().path).toBe('/app/funnel')
    vi.unstubAllGlobals()
  })
})
