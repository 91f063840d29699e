import { afterEach, expect, it } from 'vitest'
import { readKey } from '../src/shell/Keys'

afterEach(() => document.body.replaceChildren())

/** What a key is, pressed in an element of the page. */
const press = (html: string, init: KeyboardEventInit) => {
  document.body.innerHTML = html
  const target = document.body.querySelector('.here') ?? document.body
  let read: string | undefined
  const listen = (event: KeyboardEvent) => {
    read = readKey(event)
  }
  document.addEventListener('keydown', listen)
  target.dispatchEvent(new KeyboardEvent('keydown', { bubbles: true, ...init }))
  document.removeEventListener('keydown', listen)
  return read
}

it('a key on the page, or on a button, is a command', () => {
  expect(press('', { key: 'f' })).toBe('f')
  expect(press('<button class="here">x</button>', { key: '1' })).toBe('1')
  expect(press('', { key: '?', shiftKey: true })).toBe('?')
})

it.each(['input', 'textarea', 'select'])('what is typed into %s is none', (name) =>
  expect(press(`<${name} class="here"></${name}>`, { key: 'f' })).toBeUndefined(),
)

it('what is typed into editable text, or over an open dialog, is none', () => {
  expect(press('<p contenteditable><b class="here">x</b></p>', { key: 'f' })).toBeUndefined()
  expect(press('<dialog open></dialog>', { key: 'f' })).toBeUndefined()
})

it.each([{ ctrlKey: true }, { metaKey: true }, { altKey: true }, { repeat: true }, { isComposing: true }])(
  'a key with %j is none',
  (init) => expect(press('', { key: 'f', ...init })).toBeUndefined(),
)

it('Enter, Tab and the arrows are none', () => {
  for (const key of ['Enter', 'Tab', 'ArrowDown', 'Escape']) expect(press('', { key })).toBeUndefined()
})
