// @vitest-environment happy-dom
import { afterEach, describe, expect, it } from 'vitest'
import { clicks, type ClickOptions } from '../../src/plugins/clicks'
import { defaults } from '../../src/core/config'
import { createUrlFilter } from '../../src/core/urls'
import { createHost } from './createHost'

let stop = () => {}
afterEach(() => {
  stop()
  document.body.innerHTML = ''
})

/** Clicks what has the id `it`. */
const click = (
  html: string,
  options?: ClickOptions,
  event = new MouseEvent('click', { bubbles: true, cancelable: true }),
) => {
  document.body.innerHTML = html
  const host = createHost()
  stop = host.start(clicks(options))
  const element = document.querySelector('#it')!
  element.addEventListener(event.type, (heard) => {
    heard.preventDefault()
    heard.stopPropagation()
  })
  element.dispatchEvent(event)
  return host.tracked
}

describe('clicks', () => {
  it('records what data-track names, with its data-track-* attributes, wherever in it the click was', () => {
    const html = `<button data-track="Plan Chosen" data-track-plan="pro" data-track-from-page="home" data-other="no">
      <b id="it">Pro</b></button>`
    expect(click(html)).toEqual([{ event: 'Plan Chosen', properties: { plan: 'pro', from_page: 'home' } }])
  })

  it('hears the click of an open shadow tree', () => {
    document.body.innerHTML = '<div id="host"></div>'
    const root = document.querySelector('#host')!.attachShadow({ mode: 'open' })
    root.innerHTML = '<button data-track="Inside">x</button>'
    const host = createHost()
    stop = host.start(clicks())
    root.querySelector('button')!.dispatchEvent(new MouseEvent('click', { bubbles: true, composed: true }))
    expect(host.events()).toEqual(['Inside'])
  })

  it('records a link to another site, without what may not leave the page', () => {
    expect(click('<a id="it" href="https://other.test/x?token=1">x</a>')).toEqual([
      { event: 'Outbound Link Clicked', properties: { url: 'https://other.test/x' } },
    ])
  })

  it('records a download, by its ending or by the attribute', () => {
    const events = ['href="/files/report.PDF?v=2"', 'href="/export" download'].map(
      (link) => click(`<a id="it" ${link}>x</a>`)[0],
    )
    expect(events).toEqual([
      {
        event: 'File Downloaded',
        properties: { url: `${location.origin}/files/report.PDF`, file: 'report.PDF' },
      },
      { event: 'File Downloaded', properties: { url: `${location.origin}/export`, file: 'export' } },
    ])
  })

  it.each([
    ['<map><area id="it" href="https://other.test/x?token=1"></map>', 'Outbound Link Clicked'],
    ['<map><area id="it" href="https://other.test/x?token=1" download></map>', 'File Downloaded'],
  ])('records what is a link, too: %s', (html, event) => {
    const [tracked] = click(html)
    expect(tracked).toMatchObject({ event, properties: { url: 'https://other.test/x' } })
  })

  it.each(['data:text/csv,ada@example.com', 'blob:https://shop.test/1-2'])(
    'records the download of %s by its name, without its content',
    (href) => {
      document.body.innerHTML = `<a id="it" href="${href}" download="list.csv">x</a>`
      const waymark = createHost()
      const cleanUrl = createUrlFilter(defaults.url)
      stop = clicks().start!({ ...waymark.host, cleanUrl }) as () => void
      const link = document.querySelector<HTMLElement>('#it')!
      // Else the page of all other tests goes there.
      link.addEventListener('click', (heard) => heard.preventDefault())
      link.click()
      expect(waymark.tracked).toEqual([
        { event: 'File Downloaded', properties: { url: href.replace(/:.*/, ':'), file: 'list.csv' } },
      ])
    },
  )

  it('hears a click in a form whose fields hide what a form has', () => {
    document.body.innerHTML = '<form><b id="it" data-track="Inside">x</b></form>'
    for (const name of ['matches', 'attributes', 'nodeType'])
      Object.defineProperty(document.querySelector('form'), name, { value: document.createElement('input') })
    const host = createHost()
    stop = host.start(clicks())
    document.querySelector<HTMLElement>('#it')!.click()
    expect(host.events()).toEqual(['Inside'])
  })

  it('makes one event of one click', () => {
    expect(click('<a id="it" data-track="Docs Opened" href="https://other.test/a.pdf">x</a>')).toEqual([
      { event: 'Docs Opened', properties: {} },
    ])
  })

  it.each([
    '<a id="it" href="/inside">x</a>',
    '<a id="it" href="mailto:ann@test">x</a>',
    '<a id="it">x</a>',
    '<a id="it" href="blob:https://shop.test/1.pdf">x</a>',
    '<button id="it">x</button>',
    '<form data-track="Sent"><input id="it"></form>',
  ])('records nothing for %s', (html) => expect(click(html)).toEqual([]))

  it('leaves out what its options turn off', () => {
    expect(click('<a id="it" href="https://other.test/">x</a>', { outbound: false })).toEqual([])
    expect(click('<a id="it" href="/a.pdf">x</a>', { downloads: false })).toEqual([])
  })

  it('hears the middle button, not the right one', () => {
    const html = '<a id="it" href="https://other.test/">x</a>'
    const aux = (button: number) => new MouseEvent('auxclick', { bubbles: true, cancelable: true, button })
    expect(click(html, {}, aux(2))).toEqual([])
    stop()
    expect(click(html, {}, aux(1))).toHaveLength(1)
  })

  it('hears nothing any more when it is stopped', () => {
    const tracked = click('<button id="it" data-track="A">x</button>')
    stop()
    document.querySelector<HTMLElement>('#it')!.click()
    expect(tracked).toHaveLength(1)
  })
})
