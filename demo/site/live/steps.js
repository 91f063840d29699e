import { readJournal, watchJournal } from '../journal.js'
import { stored } from '../stored.js'

/** The steps that were done, and the orders that were placed while the service was off. */
const done = stored('fernweg.steps', /** @type {string[]} */ ([]))
const held = stored('fernweg.held', /** @type {string[]} */ ([]))

const add = (/** @type {typeof done} */ list, /** @type {string[]} */ ...names) => {
  const missing = names.filter((name) => !list.get().includes(name))
  if (missing.length > 0) list.set([...list.get(), ...missing])
}

const show = () => {
  for (const step of document.querySelectorAll('[data-step]')) {
    const isDone = done.get().includes(step.dataset.step)
    step.classList.toggle('is-done', isDone)
    step.querySelector('.done').textContent = isDone ? 'done' : ''
  }
}

/** Looks in the journal for what the visitor has tried. */
const look = () => {
  const orders = readJournal().filter(({ name, state }) => name === 'Order Placed' && state !== 'dropped')
  const waiting = orders.filter(({ state }) => state === 'waiting')
  if (orders.length > waiting.length) add(done, 'buy')
  if (document.body.classList.contains('service-off')) add(held, ...waiting.map(({ id }) => id))
  if (orders.some(({ id, state }) => state !== 'waiting' && held.get().includes(id))) add(done, 'outage')
}

/** Ticks what was tried of the three steps above the live view. Returns what says that one was done. */
export function startSteps() {
  done.watch(show)
  watchJournal(look)
  look()
  show()
  return { did: (/** @type {string} */ step) => add(done, step) }
}
