import { describe, expect, it, vi } from 'vitest'
import { createInstance } from '../../src/core/instance'
import { countDrops, emit, on, tell } from '../../src/core/signals'
import type { Signals, Waymark } from '../../src/core/types'
import { createWorld } from '../world/createWorld'

describe('signals', () => {
  const open = () => {
    const tab = createWorld().openTab()
    return { tab, w: createInstance(tab.browser, {} as Waymark) }
  }

  it('reach those who listen, until they stop', () => {
    const { w } = open()
    const heard = vi.fn()
    const stop = on(w, 'error', heard)
    const other = on(w, 'drop', heard)
    emit(w, 'error', { code: 'a', message: '' })
    emit(w, 'error', { code: 'b', message: '' })
    stop()
    other()
    emit(w, 'error', { code: 'c', message: '' })
    expect(heard.mock.calls).toEqual([[{ code: 'a', message: '' }], [{ code: 'b', message: '' }]])
  })

  it('reach the others past one that throws, which is told', () => {
    const { w } = open()
    const heard: string[] = []
    on(w, 'consent', () => {
      throw new Error('a bug of the page')
    })
    on(w, 'consent', ({ state }) => heard.push(state))
    on(w, 'error', ({ code, message }) => heard.push(`${code}: ${message}`))
    emit(w, 'consent', { state: 'denied' })
    emit(w, 'consent', { state: 'granted' })
    const said = expect.stringMatching(/^internal: .*a bug of the page/)
    expect(heard).toEqual([said, 'denied', said, 'granted'])
  })

  it('may be stopped by one of those who hear them', () => {
    const { w } = open()
    const heard: string[] = []
    const stop = on(w, 'consent', () => {
      heard.push('first')
      stop()
    })
    on(w, 'consent', () => heard.push('second'))
    emit(w, 'consent', { state: 'denied' })
    emit(w, 'consent', { state: 'denied' })
    expect(heard).toEqual(['first', 'second', 'second'])
  })

  it('tell and count what became of payloads, also to their callers', () => {
    const { w } = open()
    const told: unknown[] = []
    on(w, 'sent', (sent) => told.push(sent))
    on(w, 'drop', (drop) => told.push(drop))
    const one = (id: string) => ({
      id,
      body: `"${id}"`,
      receipt: { settle: ({ status }: { status: string }) => told.push(status) } as never,
    })
    tell(w, ['track', [one('a'), one('b')]], { status: 'accepted', taskId: 'task-1' })
    tell(w, ['track', [one('c')]], { status: 'handed-off' })
    tell(w, ['identify', [one('d')]], { status: 'dropped', reason: 'quarantined', errorCode: 'http-400' })
    tell(w, ['track', [one('e')]], { status: 'queued' })
    tell(w, ['track', []], { status: 'accepted' })
    countDrops(w, 'quarantined', 4)
    expect(told).toEqual([
      'accepted',
      'accepted',
      { kind: 'track', ids: ['a', 'b'], status: 'accepted', taskId: 'task-1' },
      'handed-off',
      { kind: 'track', ids: ['c'], status: 'handed-off' },
      'dropped',
      expect.objectContaining<Partial<Signals['drop']>>({
        kind: 'identify',
        id: 'd',
        reason: 'quarantined',
        errorCode: 'http-400',
        payload: '"d"',
      }),
      'queued',
    ])
    expect([w.accepted, w.handedOff, w.lost, w.dropCounts]).toEqual([2, 1, 5, { quarantined: 5 }])
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

it('names the events of an earlier page by their ids, too', async () => {
  const world = createWorld()
  world.service.become({ kind: 'down' })
  const first = world.openTab()
  const { id } = first.init().track('Earlier')
  await world.advance(3000)
  first.leave()
  first.crash()
  await world.advance(6000)
  world.service.become({ kind: 'well' })
  const waymark = world.openTab().init()
  const sent: string[] = []
  waymark.on('sent', ({ ids }) => sent.push(...ids))
  await world.advance(10_000)
  expect(sent).toEqual([id])
})
