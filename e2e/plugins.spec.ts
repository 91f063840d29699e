import { bundle } from './fixtures/bundle'
import { serveOnePage } from './fixtures/serveOnePage'
import { expect, test } from './fixtures/test'

const documentFor = (endpoint: string) => `<!doctype html><html lang="en" data-endpoint="${endpoint}">
  <meta charset="utf-8"><title>Plugins</title><body style="height: 4000px">
  <button data-track="Plan Chosen" data-track-plan="pro"><b>Pro</b></button>
  <a id="away" href="https://other.test/docs?token=secret">Docs</a>
  <form id="join" action="/join"><input name="id" value="secret"><button id="send">Join</button></form>
  <button id="fail">Fail</button> <button id="reject">Reject</button>
  <script src="/script.js"></script></html>`

test('the capture plugins record what happens in a page, also as it goes', async ({ page, service }) => {
  const site = await serveOnePage(documentFor(service.url), await bundle('plugins.js'))
  try {
    await page.goto(`${site.url}/start?utm_source=letter&token=secret`)
    await expect.poll(service.events).toContain('$pageview')
    await page.getByText('Pro').click()
    await page.locator('#away').click()
    await page.locator('#send').click()
    await page.locator('#fail').click()
    await page.locator('#reject').click()
    await page.mouse.wheel(0, 1500)
    await page.waitForFunction(() => scrollY >= 1500)
    await page.waitForTimeout(300)
    await page.goto('about:blank')

    // The last two come as the page goes, in requests of their own.
    const names = async () => [...new Set(await service.events())]
    await expect
      .poll(names)
      .toEqual(
        expect.arrayContaining([
          'Plan Chosen',
          'Outbound Link Clicked',
          'Form Submitted',
          'Error Caught',
          'Page Engaged',
          'Web Vital',
        ]),
      )
    const ofErrors = `SELECT count(*) FROM events WHERE event = 'Error Caught'`
    await expect.poll(() => service.sql(ofErrors)).toEqual([[2]])
    const of = (event: string) =>
      service
        .sql(`SELECT properties FROM events WHERE event = '${event}' ORDER BY timestamp`)
        .then((rows) => rows.map(([json]) => (typeof json === 'string' ? JSON.parse(json) : json) as object))
    expect(await of('Plan Chosen')).toMatchObject([{ plan: 'pro', $utm_source: 'letter' }])
    expect(await of('Outbound Link Clicked')).toMatchObject([{ url: 'https://other.test/docs' }])
    expect(await of('Form Submitted')).toMatchObject([{ form_id: 'join', form_action: `${site.url}/join` }])
    expect(await of('Error Caught')).toMatchObject([
      { kind: 'error', name: 'TypeError', message: 'not a function' },
      { kind: 'rejection', name: 'Error', message: 'nobody cares' },
    ])
    expect(await of('$pageview')).toMatchObject([{ $utm_source: 'letter', first_utm_source: 'letter' }])

    const [engaged, ...more] = (await of('Page Engaged')) as { visible_ms: number; scroll_percent: number }[]
    expect(more).toEqual([])
    expect(engaged!.visible_ms).toBeGreaterThanOrEqual(300)
    // 1500 of 4000 pixels, and a window below them.
    const seen = Math.round((100 * (1500 + (page.viewportSize()?.height ?? 0))) / 4000)
    expect(Math.abs(engaged!.scroll_percent - seen)).toBeLessThanOrEqual(2)
    // It is tracked while the page goes, in a request of its own.
    const vitals = async () => ((await of('Web Vital')) as { name: string }[]).map(({ name }) => name)
    await expect.poll(vitals).toContain('CLS')

    const [told] = await service.sql(`SELECT string_agg(properties::VARCHAR) FROM events`)
    expect(String(told)).not.toContain('secret')
  } finally {
    await site.close()
  }
})
