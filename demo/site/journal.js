import { stored } from './stored.js'

/**
 * What the pages called and what became of it, for the live view only: waymark itself keeps no such list.
 * @typedef {{ id: string, name: string, at: number, state: 'waiting' | 'sent' | 'handed off' | 'dropped', why?: string }} Entry
 */

/** @type {ReturnType<typeof stored<Entry[]>>} */
const entries = stored('fernweg.journal', [])
const most = 300

/** How many events all pages of this browser have sent or handed off. */
const sent = stored('fernweg.sent', 0)

/** @param {string} id an empty one when the call was made before the script was there */
export function note(id, /** @type {string} */ name) {
  entries.set(
    [{ id, name, at: Date.now(), state: /** @type {const} */ ('waiting') }, ...entries.get()].slice(0, most),
  )
}

/**
 * Says what became of payloads. An id that is not known belongs to the oldest call that was made too early to have
 * one: the queue is first in, first out.
 * @param {string[]} ids
 * @param {Entry['state']} state
 * @param {string} [why]
 */
export function settle(ids, state, why) {
  const list = entries.get()
  const isGone = (/** @type {string | undefined} */ each) => each === 'sent' || each === 'handed off'
  let more = 0
  for (const id of ids) {
    const entry =
      list.find((each) => each.id === id) ??
      list.findLast((each) => each.id === '' && each.state === 'waiting')
    if (isGone(state) && !isGone(entry?.state) && entry?.name !== 'identify') more++
    if (entry) Object.assign(entry, { id, state, why })
  }
  entries.set(list)
  sent.set(sent.get() + more)
}

export const readSent = sent.get
export const readJournal = entries.get
export const watchJournal = entries.watch
