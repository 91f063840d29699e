import { readJournal, watchJournal } from '../journal.js'

const key = 'fernweg.ordered'
/** @type {Record<import('../journal.js').Entry['state'], string>} */
const states = {
  waiting: 'waits in the browser until the service takes it',
  sent: 'was accepted by the service, which writes it to DuckDB',
  'handed off': 'was carried out by the browser, of a page that no longer existed',
  dropped: 'was dropped, and the live view says why',
}

/** Remembers, for this tab, that something was ordered. */
export function noteOrder() {
  try {
    sessionStorage.setItem(key, '1')
  } catch {
    // Where storage is refused, the next page says that nothing was ordered.
  }
}

function hasOrdered() {
  try {
    return sessionStorage.getItem(key) !== null
  } catch {
    return false
  }
}

/** Thanks for an order, and tells how far its event is; claims nothing where there was none. */
export function startThanks() {
  const isOrdered = hasOrdered()
  document.querySelector('[data-ordered]').hidden = !isOrdered
  document.querySelector('[data-not-ordered]').hidden = isOrdered
  const show = () => {
    const order = readJournal().find(({ name }) => name === 'Order Placed')
    document.querySelector('[data-order-state]').textContent = order ? states[order.state] : ''
  }
  watchJournal(show)
  show()
}
