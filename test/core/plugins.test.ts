import { describe, expect, it, vi } from 'vitest'
import { createWorld } from '../world/createWorld'

describe('plugins', () => {
  it('are started once of each name, and again when the first is removed', () => {
    const waymark = createWorld().openTab().init()
    const start = vi.fn()
    const plugin = () => ({ name: 'one', start })
    const remove = waymark.use(plugin())
    const removeSecond = waymark.use(plugin())
    expect(start).toHaveBeenCalledTimes(1)
    removeSecond()
    waymark.use(plugin())
    expect(start).toHaveBeenCalledTimes(1)
    remove()
    waymark.use(plugin())
    expect(start).toHaveBeenCalledTimes(2)
  })

  it('that fail to stop are named, and keep no other from stopping', async () => {
    const waymark = createWorld().openTab().init()
    const stop = vi.fn()
    const codes: string[] = []
    waymark.on('error', ({ code }) => codes.push(code))
    const fail = () => {
      throw new Error('no')
    }
    waymark.use({ name: 'bad', start: () => fail })
    waymark.use({ name: 'good', start: () => stop })
    await waymark.shutdown()
    expect(codes).toEqual(['plugin-failed'])
    expect(stop).toHaveBeenCalledTimes(1)
  })

  it('are left out where there is none', () => {
    const start = vi.fn()
    const waymark = createWorld()
      .openTab()
      .init({ plugins: [null as never, { name: 'one', start }, false as never] })
    waymark.use(undefined as never)()
    expect(start).toHaveBeenCalledTimes(1)
  })

  it('are started once, also by another that starts', () => {
    const waymark = createWorld().openTab().create()
    const start = vi.fn()
    waymark.use({ name: 'outer', start: () => waymark.use({ name: 'inner', start }) })
    waymark.init('pk_test', { endpoint: 'https://api.test' })
    expect(start).toHaveBeenCalledTimes(1)
  })

  it('of a second instance with the same key and environment do not run, as long as the first one does', async () => {
    const world = createWorld()
    const tab = world.openTab()
    const start = vi.fn()
    const begin = (environment = 'production') =>
      tab
        .create()
        .init('pk_test', { endpoint: 'https://api.test', environment, plugins: [{ name: 'one', start }] })
    const first = begin()
    const second = begin()
    expect(start).toHaveBeenCalledTimes(1)
    expect(tab.warnings).toEqual([expect.stringContaining('already-on-page')])
    first.track('A')
    second.track('B')
    await world.advance(5000)
    expect(world.service.events().map(({ event }) => event)).toEqual(['A', 'B'])
    begin('staging')
    expect(start).toHaveBeenCalledTimes(2)
    await second.shutdown()
    begin()
    expect(start).toHaveBeenCalledTimes(2)
    await first.shutdown()
    begin()
    expect(start).toHaveBeenCalledTimes(3)
  })

  it('are not started after shutdown', async () => {
    const waymark = createWorld().openTab().init()
    await waymark.shutdown()
    const start = vi.fn()
    waymark.use({ name: 'late', start })
    expect(start).not.toHaveBeenCalled()
  })
})
