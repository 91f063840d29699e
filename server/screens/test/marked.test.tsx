import { render } from 'preact'
import { act } from 'preact/test-utils'
import { afterEach, expect, it } from 'vitest'
import { Arrivals } from '../src/pages/setup/Arrivals'

const root = document.createElement('div')
afterEach(() => act(() => render(null, root)))

const show = async (marked: { ids: number; times: number }) => {
  await act(() =>
    render(<Arrivals progress={{ state: 'waiting' }} marked={marked} environment="production" />, root),
  )
  return root.textContent
}

it('says of Set up how many ids and times were a bug’s, and nothing while there are none', async () => {
  expect(await show({ ids: 0, times: 0 })).not.toContain('since')
  expect(await show({ ids: 3, times: 0 })).toContain('since the service started: 3.')
  expect(await show({ ids: 0, times: 1200 })).toContain('since the service started: 1,200.')
})
