import { describe, expect, it, vi } from 'vitest'
import { createSignals } from '../src/signals'
import { createWorld } from './world/createWorld'

describe('signals', () => {
  it('reach those who listen, until they stop, also past one that throws', () => {
    const { on, emit } = createSignals()
    const heard = vi.fn()
    on('error', () => {
      throw new Error('no')
    })
    const stop = on('error', heard)
    const other = on('drop', heard)
    emit('error', { code: 'a', message: '' })
    emit('error', { code: 'b', message: '' })
    stop()
    other()
    emit('error', { code: 'c', message: '' })
    expect(heard.mock.calls).toEqual([[{ code: 'a', message: '' }], [{ code: 'b', message: '' }]])
  })

  it('are not told to a listener by which they come about, but to the others', async () => {
    const world = createWorld()
    const waymark = world.openTab().init({
      beforeSend() {
        throw new Error('a bug')
      },
    })
    const codes: string[] = []
    await waymark.ready()
    waymark.on('error', ({ code }) => waymark.track('Error Heard', { code }))
    waymark.on('error', ({ code }) => codes.push(code))
    waymark.track('A')
    await world.advance(5000)
    expect(world.service.names()).toEqual(['Error Heard', 'A'])
    expect(codes).toEqual(['before-send-failed', 'before-send-failed'])
  })
})
