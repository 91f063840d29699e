import { serveOverlay } from './fixtures/serveOverlay'
import { expect, test } from './fixtures/test'
import { until } from './fixtures/until'
import { withEngine } from './fixtures/withEngine'

const tree = `document.querySelector('waymark-overlay')?.shadowRoot`
const press = (target: string, key: string, more = '') =>
  `(${target}.dispatchEvent(new KeyboardEvent('keydown', { key: '${key}', code: '', bubbles: true, ${more} })), 0)`
const open = press('document.activeElement', 'E', 'altKey: true, shiftKey: true')
/** The rows, the newest first, each as its texts. */
const rows = `JSON.stringify([...(${tree}?.querySelectorAll('li') ?? [])].map((row) =>
  [...row.querySelectorAll('b, .way, .problem')].map((part) => part.textContent)))`
const size = 'document.documentElement.scrollHeight'
const box = `JSON.stringify((({ x, y, right, bottom, width }) => [x >= 0, y >= 0, right <= innerWidth, bottom <= innerHeight, width > 200])(
  ${tree}.querySelector('section').getBoundingClientRect()))`
const focused = `${tree}?.activeElement?.tagName ?? document.activeElement.tagName`

// Chromium has this journey in overlay.spec.ts, with the keyboard, and with what is accessible.
for (const name of ['firefox', 'webkit'] as const) {
  test(`the overlay shows each event of the page, its way, and what is not as planned in ${name}`, async ({
    service,
  }) => {
    const site = await serveOverlay(service.url)
    try {
      await withEngine(name, site.url, async (openTab) => {
        const tab = await openTab(site.url)
        const shown = async () => JSON.parse(String(await tab.run(rows))) as string[][]
        await until(() => tab.run('typeof window.site?.track'), 'function')
        const before = await tab.run(size)
        await tab.run(`document.querySelector('button').focus()`)
        await tab.run(`(site.track('Order Completed', { total: 99.5, currency: 'EUR' }), 0)`)
        await tab.run(open)
        await until(() => tab.run(focused), 'SECTION')
        await until(shown, [['Order Completed', 'stored']])

        await tab.run(
          `(site.track('Order Completed', { total: '9', currency: 'EUR', coupon: 'SPRING' }), site.track('<img src=x>'), site.identify('ann', { plan: 'pro' }), 0)`,
        )
        await until(shown, [
          ['identify ann', 'stored'],
          ['<img src=x>', 'stored', 'The event is not in the plan.'],
          ['Order Completed', 'stored', 'total: must be a number', 'coupon: is not in the plan (plan.ts:12)'],
          ['Order Completed', 'stored'],
        ])
        expect(await tab.run(`${tree}.querySelector('[role=status]').textContent`)).toBe('2 wrong')
        // The page has not moved, its policy has let the panel's style through, and all of the panel can be seen.
        expect(await tab.run(size)).toBe(before)
        expect(await tab.run(`getComputedStyle(${tree}.querySelector('section')).display`)).toBe('flex')
        expect(JSON.parse(String(await tab.run(box)))).toEqual([true, true, true, true, true])

        await tab.run(`(${tree}.querySelector('summary').click(), 0)`)
        expect(await tab.run(`${tree}.querySelector('pre').checkVisibility()`)).toBe(true)
        expect(await tab.run(`${tree}.querySelector('pre').textContent`)).toContain('"plan": "pro"')
        await tab.run(press(`${tree}.querySelector('summary')`, 'Escape', 'composed: true'))
        expect(await tab.run(`${tree} === undefined`)).toBe(true)
        expect(await tab.run(focused)).toBe('BUTTON')

        // A service that is away: a call waits again when its request has failed.
        await service.stop()
        await tab.run(`(site.track('Order Completed', { total: 1, currency: 'EUR' }), 0)`)
        await tab.run(open)
        await until(
          async () =>
            (await shown())
              .slice(0, 2)
              .map(([call, way]) => `${call}: ${way}`)
              .toSorted(),
          ['Order Completed: waiting', 'error unreachable: error'],
        )
        await service.start()
        await tab.run('site.flush().then(() => 0)')
        await until(async () => (await shown()).filter(([, way]) => way === 'waiting').length, 0)
      })
    } finally {
      await site.close()
    }
  })
}
