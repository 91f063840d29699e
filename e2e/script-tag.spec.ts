import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serveSite } from './fixtures/serveSite'
import { expect, test } from './fixtures/test'
import { waymarkOf } from './fixtures/waymarkOf'

test.describe('the script tag', () => {
  test('replays what was called before it was there, with the time of the call', async ({
    page,
    shop,
    service,
  }) => {
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    await page.route('**/waymark.iife.js', async (route) => {
      await held
      await route.continue()
    })
    await page.goto(`${shop}/maps/elderwood`, { waitUntil: 'domcontentloaded' })
    await page.getByRole('button', { name: /Put in the basket/ }).click()
    await expect(page.getByText('Elderwood is in the basket.')).toBeVisible()
    const calledBefore = await page.evaluate(() => Date.now())
    release()
    await waymarkOf(page).loaded()

    await expect.poll(service.events).toEqual(['$pageview', 'Map Viewed', 'Added to Basket'])
    const [latest] = await service.sql('SELECT max(epoch_ms(timestamp)) FROM events')
    expect(Number(latest?.[0])).toBeLessThanOrEqual(calledBefore)
  })

  test('keeps its push, so that code written for the array goes on working', async ({
    page,
    shop,
    service,
  }) => {
    await page.goto(`${shop}/basket`)
    await waymarkOf(page).loaded()
    await page.evaluate(() => {
      const { waymark } = window as unknown as { waymark: { push(command: unknown[]): void } }
      waymark.push(['track', 'Pushed Late', { late: true }])
    })
    await expect.poll(service.events).toEqual(['$pageview', 'Pushed Late'])
  })

  test('waits for the plugins that it loads, and keeps what is called meanwhile, with its time and URL', async ({
    page,
    service,
  }) => {
    const site = await serveSite({ endpoint: service.url, attributes: 'data-plugins="campaign forms"' })
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    await page.route('**/waymark.forms.js', async (route) => {
      await held
      await route.continue()
    })
    try {
      await page.goto(`${site.url}/first?utm_source=letter`, { waitUntil: 'domcontentloaded' })
      await waymarkOf(page).loaded()
      await waymarkOf(page).track('Meanwhile')
      const calledBefore = await page.evaluate(() => Date.now())
      await page.evaluate(() => history.replaceState(null, '', '/second'))
      await page.waitForTimeout(300)
      expect((await waymarkOf(page).stats()).queued).toBe(1)
      release()
      await expect.poll(service.events).toEqual(['Meanwhile', '$pageview'])
      const [[at, properties] = []] = await service.sql(
        `SELECT epoch_ms(timestamp), properties FROM events WHERE event = 'Meanwhile'`,
      )
      expect(Number(at)).toBeLessThanOrEqual(calledBefore)
      expect(JSON.stringify(properties)).toContain('/first?utm_source=letter')
    } finally {
      release()
      await site.close()
    }
  })
})

test.describe('a page that is not as it should be', () => {
  const tag = (attributes: string) => `<script src="/waymark.iife.js" ${attributes}></script>`

  /** Serves one page, with the script beside it. */
  const serve = async (body: string) => {
    const script = await readFile(new URL('../dist/waymark.iife.js', import.meta.url))
    const server = createServer(({ url }, response) => {
      const isPage = url === '/'
      response.setHeader('content-type', isPage ? 'text/html' : 'text/javascript')
      response.end(isPage ? `<!doctype html><title>Page</title>${body}` : script)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    return { url: `http://127.0.0.1:${port}/`, close: () => server.close() }
  }

  test('and has the tag twice counts its view once: the second goes on with the first', async ({
    page,
    service,
    complaints,
  }) => {
    const one = tag(`data-api-key="test-key" data-pageviews data-endpoint="${service.url}"`)
    const site = await serve(one + one)
    await page.goto(site.url)
    await waymarkOf(page).loaded()
    await waymarkOf(page).track('Last')
    await expect.poll(service.events).toHaveLength(2)
    expect(new Set(await service.events())).toEqual(new Set(['$pageview', 'Last']))
    expect(complaints).toEqual([])
    site.close()
  })

  for (const [what, attributes] of [
    ['forgets the key', 'data-endpoint="/w"'],
    ['writes its name without a hyphen', 'data-apikey="pk_1"'],
  ] as const)
    test(`and ${what} says so`, async ({ page, complaints }) => {
      const site = await serve(tag(attributes))
      await page.goto(site.url)
      await expect
        .poll(() => complaints)
        .toEqual(['[waymark] missing-api-key: none (see docs/errors.md#missing-api-key)'])
      site.close()
    })

  const withoutAttributes = [
    ['is a module', '<script type="module" src="/waymark.iife.js"></script>'],
    ['is loaded by import()', '<script type="module">import("/waymark.iife.js")</script>'],
    ['has lost its attributes', tag('')],
  ] as const

  for (const [what, body] of withoutAttributes) {
    test(`and a tag that ${what} says that it has no key, once the page has loaded`, async ({
      page,
      complaints,
    }) => {
      const site = await serve(body)
      await page.goto(site.url)
      await expect
        .poll(() => complaints)
        .toEqual(['[waymark] missing-api-key: none (see docs/errors.md#missing-api-key)'])
      site.close()
    })

    test(`and a tag that ${what} says nothing when the page starts it by a call`, async ({
      page,
      service,
      complaints,
    }) => {
      const start = `<script>addEventListener('DOMContentLoaded', () => {
        (window.waymark ||= []).push(['init', 'test-key', { endpoint: '${service.url}' }], ['track', 'Started'])
      })</script>`
      const site = await serve(start + body)
      await page.goto(site.url)
      await expect.poll(service.events).toEqual(['Started'])
      expect(complaints).toEqual([])
      site.close()
    })
  }

  test('and has no rule in its proxy says in the console what answered instead', async ({
    page,
    complaints,
  }) => {
    const site = await serve(tag('data-api-key="pk_1" data-endpoint="/w" data-pageviews'))
    await page.goto(site.url)
    await expect
      .poll(() => complaints)
      .toEqual([expect.stringMatching(/^\[waymark\] not-the-service: \d{3} .*#not-the-service\)$/)])
    site.close()
  })
})
