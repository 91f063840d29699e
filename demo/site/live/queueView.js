import { h } from '../h.js'
import { readJournal, readSent, settle, watchJournal } from '../journal.js'
import { whenWaymark } from '../whenWaymark.js'
import { readQueue } from './readQueue.js'

const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' })
const marks = { waiting: '○', sent: '●', 'handed off': '➤', dropped: '✕' }
const words = {
  idle: 'nothing to do',
  sending: 'sending',
  waiting: 'no answer, waiting to try again',
  paused: 'paused: the service refused the configuration',
}

const text = (/** @type {string} */ selector, /** @type {unknown} */ value) => {
  const element = document.querySelector(selector)
  // Only what changed, so that a screen reader is not told the same figure every second.
  if (element && element.textContent !== String(value)) element.textContent = String(value)
}

const entryLine = ({ name, at, state, why }) =>
  h(
    'li',
    { 'data-state': state.replace(' ', '-') },
    h('span', { class: 'mark', 'aria-hidden': 'true' }, marks[state]),
    h('span', { class: 'name' }, name),
    h('span', { class: 'what' }, why ? `${state}: ${why}` : state),
    h('time', {}, clock.format(at)),
  )

function showJournal() {
  const list = readJournal()
  document.querySelector('#journal')?.replaceChildren(...list.slice(0, 8).map(entryLine))
  const empty = document.querySelector('#journal-empty')
  if (empty) empty.hidden = list.length > 0
}

/** @param {any} waymark @param {Awaited<ReturnType<typeof readQueue>>} stored */
function showStats(waymark, stored) {
  const { store, queued, dropped, state, bytes } = waymark.stats()
  // What other tabs and pages before this one have in hand is in the database only.
  const waiting = Math.max(queued, stored?.count ?? 0)
  const waitingBytes = Math.max(bytes, stored?.bytes ?? 0)
  const drops = Object.entries(dropped).map(([reason, count]) => `${count} dropped (${reason})`)
  text('#n-queued', waiting)
  const elsewhere = waiting > queued ? `${waiting - queued} not in this page` : ''
  text('#about-queued', store === 'memory' ? 'in memory only' : elsewhere)
  text('#n-sent', readSent())
  text('#about-sent', 'by this browser')
  text(
    '#state-line',
    [state === 'idle' && queued ? 'collecting' : words[state], waiting && `${waitingBytes} bytes`, ...drops]
      .filter(Boolean)
      .join(' · '),
  )
  text('[data-dock]', waiting ? `${waiting} in the queue` : `${readSent()} sent`)
  document.body.classList.toggle('is-waiting', state === 'waiting' || state === 'paused')
  const { deviceId, anonymousId, distinctId } = waymark.ids
  const ids = Object.entries({ device: deviceId, anonymous: anonymousId, distinct: distinctId })
  for (const [name, id] of ids) text(`#id-${name}`, id)
}

/**
 * Shows what this page's waymark has in hand. `changed` is called when the service took something.
 * @param {{ changed: () => void }} options
 */
export function startQueueView({ changed }) {
  const names = ['device', 'anonymous', 'distinct']
  document
    .querySelector('#ids')
    ?.replaceChildren(
      ...names.map((name) => h('div', {}, h('dt', {}, name), h('dd', { id: `id-${name}` }, '…'))),
    )
  watchJournal(showJournal)
  showJournal()

  whenWaymark((waymark) => {
    /** @type {Awaited<ReturnType<typeof readQueue>>} */
    let stored
    const show = () => showStats(waymark, stored)
    const look = async () => {
      // Where every call has been sent, nothing can wait.
      const isWaiting = readJournal().some((entry) => entry.state === 'waiting')
      stored = isWaiting && !document.hidden ? await readQueue() : undefined
      show()
    }
    waymark.on('sent', ({ ids, status }) => {
      settle(ids, status === 'accepted' ? 'sent' : 'handed off')
      show()
      changed()
    })
    waymark.on('drop', ({ id, reason }) => settle([id], 'dropped', reason))
    document.querySelector('#flush')?.addEventListener('click', () => waymark.flush().then(show))
    watchJournal(show)
    setInterval(look, 500)
    show()
  })
}
