// @vitest-environment happy-dom
import { afterEach, describe, expect, it } from 'vitest'
import { forms } from '../../src/plugins/forms'
import { createHost } from './createHost'

let stop = () => {}
afterEach(() => {
  stop()
  document.body.innerHTML = ''
})

const submit = (html: string) => {
  document.body.innerHTML = html
  const host = createHost()
  stop = host.start(forms())
  const form = document.querySelector('form')!
  // As an application does that sends the form itself.
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    event.stopImmediatePropagation()
  })
  form.dispatchEvent(new Event('submit', { bubbles: true, cancelable: true }))
  return host.tracked
}

describe('forms', () => {
  it('records a submit with the id, name and address of the form', () => {
    expect(submit('<form id="join" name="newsletter" action="/join?token=1"></form>')).toEqual([
      {
        event: 'Form Submitted',
        properties: { form_id: 'join', form_name: 'newsletter', form_action: `${location.origin}/join` },
      },
    ])
  })

  it('never reads what was typed in, also where a field hides a property of the form', () => {
    const [event] = submit(`<form id="login">
      <input name="id" value="secret"><input name="action" value="secret">
      <input name="password" type="password" value="secret"><textarea name="name">secret</textarea></form>`)
    expect(event!.properties).toMatchObject({ form_id: 'login' })
    expect(JSON.stringify(event)).not.toContain('secret')
  })

  it('reads a form whose fields hide what a form has', () => {
    document.body.innerHTML = '<form id="join" data-track="Joined" data-track-place="footer"></form>'
    const form = document.querySelector('form')!
    for (const name of ['matches', 'attributes', 'id', 'action'])
      Object.defineProperty(form, name, { value: document.createElement('input') })
    const host = createHost()
    stop = host.start(forms())
    form.dispatchEvent(new Event('submit', { bubbles: true }))
    expect(host.tracked).toEqual([
      {
        event: 'Joined',
        properties: { form_id: 'join', form_action: location.href.replace(/\?.*/, ''), place: 'footer' },
      },
    ])
  })

  it('records a form in a shadow tree once, after the click or the key that came before', () => {
    document.body.innerHTML = '<div></div>'
    const root = document.querySelector('div')!.attachShadow({ mode: 'open' })
    root.innerHTML = '<form id="inner"><input></form>'
    const host = createHost()
    stop = host.start(forms())
    const [form, input] = [root.querySelector('form')!, root.querySelector('input')!]
    for (const type of ['click', 'keydown', 'keydown'])
      input.dispatchEvent(new Event(type, { bubbles: true, composed: true }))
    form.dispatchEvent(new Event('submit', { bubbles: true }))
    expect(host.tracked).toMatchObject([{ event: 'Form Submitted', properties: { form_id: 'inner' } }])
    stop()
    form.dispatchEvent(new Event('submit', { bubbles: true }))
    expect(host.tracked).toHaveLength(1)
  })

  it('records the event that the form names', () => {
    const [event] = submit('<form data-track="Newsletter Joined" data-track-place="footer"></form>')
    expect(event).toMatchObject({ event: 'Newsletter Joined', properties: { place: 'footer' } })
  })

  it('hears nothing any more when it is stopped', () => {
    const tracked = submit('<form></form>')
    stop()
    document.querySelector('form')!.dispatchEvent(new Event('submit', { bubbles: true }))
    expect(tracked).toHaveLength(1)
  })
})
