import { render } from 'preact'
import { afterEach, expect, it, vi } from 'vitest'
import { createStore, useStore } from '../src/data/createStore'

const root = document.createElement('div')
afterEach(() => render(null, root))

it('a part that is drawn shows a change from before its effects ran, and those after', async () => {
  const store = createStore('unknown')
  const Probe = () => <p>{useStore(store)}</p>
  render(<Probe />, root)
  // The service may answer within the frame that draws for the first time.
  store.set('in')
  await vi.waitFor(() => expect(root.textContent).toBe('in'))
  store.set('out')
  await vi.waitFor(() => expect(root.textContent).toBe('out'))
})
