import { serveStranger } from './fixtures/serveStranger'
import { expect, test } from './fixtures/test'
import { until } from './fixtures/until'
import { engineNames, useEngine } from './fixtures/useEngine'
import { hopeless, strangers } from './site/strangers'

let site: Awaited<ReturnType<typeof serveStranger>>
test.afterEach(() => site.close())

const loaded = 'typeof window.waymark?.stats'
/** The driver of WebKit runs in the page, and needs these itself. */
const ofDriver = [
  'Map of the page',
  'MooTools 1.2.0: another JSON',
  'Bluebird, zone.js: a Promise of the page, without allSettled',
]
const rowsOf = (engine: string, rows: Record<string, string>) =>
  Object.entries(rows).filter(([name]) => engine !== 'webkit' || !ofDriver.includes(name))

const names = Array.from({ length: 18 }, (_, n) => `E${n}`)

for (const engine of engineNames) {
  test.describe(engine, () => {
    const open = useEngine(engine)

    for (const [name, code] of rowsOf(engine, strangers)) {
      test(`loses nothing where a page has ${name}`, async () => {
        site = await serveStranger(code)
        const tab = await open(`${site.url}/`)
        await until(() => tab.run(loaded), 'function')
        const arrived = () => [...new Set(site.received.map(({ event }) => event))]
        await tab.run(`(waymark.track('First', { list: [1, ['a']], at: new Date(0) }), 0)`)
        await until(arrived, ['First'])
        const [{ timestamp, properties }] = site.received as [(typeof site.received)[0]]
        expect(properties).toMatchObject({ list: [1, ['a']], at: '1970-01-01T00:00:00.000Z' })
        expect(new Date(timestamp).toISOString()).toBe(timestamp)
        expect(properties['$url']).toBe(`${site.url}/`)

        // What is tracked in the last task of a page leaves with it, or by the next page.
        await tab.run(
          `(${JSON.stringify(names)}.forEach((name) => { waymark.track(name, { text: 'x'.repeat(999) }) }),
            window.goes = true, location.href = '/next', 0)`,
        )
        await until(() => arrived().toSorted(), ['First', ...names].toSorted())
      })
    }

    for (const [name, code] of rowsOf(engine, hopeless)) {
      test(`says once that nothing is taken where a page has ${name}`, async () => {
        site = await serveStranger(code)
        const tab = await open(`${site.url}/`)
        await until(() => tab.run(loaded), 'function')
        await tab.run(`(waymark.track('First'), waymark.page(), 0)`)
        const said = String(await tab.run('said.join("|")')).split('|')
        expect(said.filter((text) => text.startsWith('[waymark] foreign-built-ins: '))).toHaveLength(1)
        expect(site.received).toEqual([])
      })
    }
  })
}
