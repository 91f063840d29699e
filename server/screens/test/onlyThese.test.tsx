import { render } from 'preact'
import { act } from 'preact/test-utils'
import { beforeEach, expect, it } from 'vitest'
import { place } from '../src/address/location'
import { readFilters } from '../src/data/filters'
import { OnlyThese } from '../src/parts/OnlyThese'

let frame: HTMLElement
beforeEach(() => {
  history.replaceState(null, '', '/app/persons?q=ann&filter=browser%7Cis%7CFirefox')
  dispatchEvent(new PopStateEvent('popstate'))
  frame = document.createElement('div')
})

it('makes the people that are shown the segment, without what they were found by', async () => {
  await act(() => render(<OnlyThese ids={['a|1', 'b']} all={2} without="q" />, frame))
  await act(() => frame.querySelector('button')?.click())
  const { search } = place.get()
  expect(readFilters(search)).toEqual([{ field: 'person_id', operator: 'in', values: ['a|1', 'b'] }])
  expect(search.has('q')).toBe(false)
})

it.each([
  ['some of them', ['a', 'b'], 3],
  ['nobody', [], 0],
  ['more than fit an address', Array.from({ length: 151 }, (_, at) => `user-${at}`), 151],
])('is not there for %s', async (_, ids, all) => {
  await act(() => render(<OnlyThese ids={ids} all={all} without="q" />, frame))
  expect(frame.innerHTML).toBe('')
})
