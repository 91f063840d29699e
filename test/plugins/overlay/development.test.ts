// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { overlay } from '../../../src/plugins/overlay/development'
import { overlay as inProduction } from '../../../src/plugins/overlay'
import type { OverlayOptions } from '../../../src/plugins/overlay'
import type { InitConfig } from '../../../src/core/types'
import { createWorld } from '../../world/createWorld'

const info = vi.fn<(text: string) => void>()
beforeEach(() => {
  info.mockReset()
  vi.spyOn(console, 'info').mockImplementation(info)
  document.body.innerHTML = '<input>'
})
let close = async () => {}
afterEach(async () => {
  await close()
  vi.restoreAllMocks()
})

const panel = () => document.querySelector('waymark-overlay')?.shadowRoot
const rows = () =>
  [...(panel()?.querySelectorAll('li') ?? [])].map((item) =>
    [...item.querySelectorAll('b, .way, .problem')].map(({ textContent }) => textContent).join(' | '),
  )
const press = (
  key: string,
  more: KeyboardEventInit = { altKey: true, shiftKey: true },
  at: EventTarget = window,
) => at.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, composed: true, ...more }))

const start = (options: OverlayOptions = {}, config: Partial<InitConfig> = {}) => {
  const world = createWorld()
  const tab = world.openTab()
  const plugin = overlay(options)
  const waymark = tab.init({ ...config, plugins: [...(config.plugins ?? []), plugin] })
  close = async () => {
    const ended = waymark.shutdown()
    await world.advance(60_000)
    await ended
  }
  return { world, tab, waymark, plugin }
}

describe('the overlay', () => {
  it('is in the page only while it is open: by its key, which the console names, or by a call', async () => {
    const { plugin } = start()
    expect(info.mock.calls).toEqual([['[waymark] Alt+Shift+E shows the events of this page.']])
    const input = document.querySelector('input')!
    input.focus()
    press('E', { altKey: true })
    expect(panel()).toBeUndefined()
    press('E')
    expect(panel()?.querySelector('section')?.getAttribute('aria-label')).toBe('Events of this page')
    press('Escape', {}, panel()!.querySelector('section')!)
    expect(panel()).toBeUndefined()
    plugin.open()
    press('´', { code: 'KeyE', altKey: true, shiftKey: true })
    expect(panel()).toBeUndefined()
    plugin.open()
    await close()
    expect(panel()).toBeUndefined()
    press('E')
    expect(panel()).toBeUndefined()
  })

  it('takes another key', () => {
    start({ key: 'Ctrl+F9' })
    press('E')
    expect(panel()).toBeUndefined()
    press('F9', { ctrlKey: true })
    expect(panel()).toBeDefined()
    press('F9', { ctrlKey: true })
  })

  it('shows the way of each call, the newest first, also of those from before it was opened', async () => {
    const { world, tab, waymark, plugin } = start()
    await waymark.ready()
    waymark.track('First')
    await world.advance(5000)
    waymark.identify('ann', { plan: 'pro' })
    plugin.open()
    expect(rows()).toEqual(['identify ann | waiting', 'First | stored'])
    await world.advance(5000)
    waymark.track('')
    waymark.track('Last')
    tab.leave()
    expect(rows()).toEqual([
      'Last | sent',
      '(no name) | dropped | invalid-event-name',
      'error invalid-event-name | error',
      'identify ann | stored',
      'First | stored',
    ])
    expect(panel()!.querySelector('[role=status]')!.textContent).toBe('2 wrong')
    panel()!.querySelector<HTMLElement>('button')!.click()
    expect(rows()).toEqual([])
    panel()!.querySelectorAll<HTMLElement>('button')[1]!.click()
  })

  it('knows calls without an insert id by their order', async () => {
    const { world, waymark, plugin } = start({}, { insertId: false })
    await waymark.ready()
    waymark.track('First')
    await world.advance(5000)
    waymark.track('Last')
    plugin.open()
    expect(rows()).toEqual(['Last | waiting', 'First | stored'])
  })

  it('says what is not as planned, with the line of the plan', async () => {
    const events = { Order: { $comment: 'plan.ts:12', properties: { total: { type: 'number' } } } }
    const { world, waymark, plugin } = start({ plan: { events } })
    await waymark.ready()
    waymark.track('Order', { total: '9' })
    waymark.track('Ordr')
    waymark.track('Order', { total: 9 })
    plugin.open()
    await world.advance(0)
    expect(rows()).toEqual([
      'Order | waiting',
      'Ordr | waiting | The event is not in the plan.',
      'Order | waiting | total: must be a number (plan.ts:12)',
    ])
  })

  it('shows names and values as text', async () => {
    const { waymark, plugin } = start()
    await waymark.ready()
    const hostile = '<img src=x onerror="window.hurt = 1"><b>'
    waymark.track(hostile, { [hostile]: hostile })
    plugin.open()
    expect(panel()!.querySelector('img')).toBeNull()
    expect(panel()!.querySelector('pre')!.textContent).toContain(JSON.stringify(hostile))
  })

  it('says that calls wait for consent', () => {
    const { waymark, plugin } = start({}, { consent: 'pending' })
    plugin.open()
    const note = () => panel()!.querySelector('p')!.textContent
    expect(note()).toMatch(/^Consent is pending/)
    waymark.setConsent('denied')
    expect(note()).toMatch(/^Consent is denied/)
  })
})

describe('in production', () => {
  it('nothing is there', () => {
    const plugin = inProduction({ plan: { events: {} }, key: 'E' })
    plugin.open()
    press('E')
    expect(panel()).toBeUndefined()
    expect(plugin).toEqual({ name: 'overlay', open: expect.any(Function) })
  })
})
