import { render } from 'preact'
import { act } from 'preact/test-utils'
import { afterEach, expect, it } from 'vitest'
import { ChoiceInput } from '../src/parts/ChoiceInput'

const root = document.createElement('div')
document.body.append(root)
afterEach(() => render(null, root))

/** Draws a field with a value, and gives it. */
const draw = async (value: string, choose: (value: string) => void = () => {}) => {
  await act(() => render(<ChoiceInput label="Name" value={value} list="" choose={choose} />, root))
  return root.querySelector('input')!
}
const press = (field: HTMLInputElement, key: string) =>
  act(() => void field.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true })))

it('what is being typed stays when the page is drawn anew', async () => {
  const field = await draw('')
  field.value = 'pla'
  await draw('')
  expect(field.value).toBe('pla')
  await draw('plan')
  expect(field.value).toBe('plan')
})

it('a name is taken once, by Enter', async () => {
  const chosen: string[] = []
  const field = await draw('', (value) => chosen.push(value))
  field.value = ' plan '
  await press(field, 'Enter')
  field.dispatchEvent(new Event('change', { bubbles: true }))
  expect(chosen).toEqual(['plan'])
})

it('the field is empty again where no value comes of it', async () => {
  const field = await draw('')
  field.value = 'plan=pro'
  await press(field, 'Enter')
  expect(field.value).toBe('')
})

it('a value that is chosen is shown', async () => {
  const field = await draw('', (value) => void draw(value))
  field.value = 'maps'
  await press(field, 'Enter')
  expect(field.value).toBe('maps')
})
