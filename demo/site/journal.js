import { stored } from './stored.js'

/**
 * What the pages called and what became of it, for the live view only: waymark itself keeps no such list.
 * @typedef {{ id: string, name: string, at: number, state: 'waiting' | 'sent' | 'handed off' | 'dropped', why?: string }} Entry
 */

/** @typedef {Pick<Entry, 'id' | 'state' | 'why'>} Outcome */

/** @type {ReturnType<typeof stored<Omit<Entry, 'state'>[]>>} */
const calls = stored('fernweg.journal', [])
/**
 * An item of its own: a page that has just begun may not see yet what the one before it writes while it goes, and would
 * write the list of calls without it.
 * @type {ReturnType<typeof stored<Outcome[]>>}
 */
const outcomes = stored('fernweg.outcomes', [])
const most = 300

/** How many events all pages of this browser have sent or handed off. */
const sent = stored('fernweg.sent', 0)

/** @param {string} id an empty one when the call was made before the script was there */
export function note(id, /** @type {string} */ name) {
  calls.set([{ id, name, at: Date.now() }, ...calls.get()].slice(0, most))
}

/**
 * What was called, the newest first. An outcome whose id is not known belongs to the oldest call that was made too early
 * to have one: the queue is first in, first out.
 */
export function readJournal() {
  /** @type {Entry[]} */
  const list = calls.get().map((call) => ({ state: 'waiting', ...call }))
  for (const outcome of outcomes.get())
    Object.assign(
      list.find(({ id }) => id === outcome.id) ?? list.findLast(({ id }) => id === '') ?? {},
      outcome,
    )
  return list
}

/**
 * Says what became of payloads.
 * @param {string[]} ids
 * @param {Entry['state']} state
 * @param {string} [why]
 */
export function settle(ids, state, why) {
  const isGone = (/** @type {Outcome | undefined} */ each) => /^(sent|handed off)$/.test(each?.state ?? '')
  const list = outcomes.get()
  const old = new Map(list.map((each) => [each.id, { ...each }]))
  for (const id of ids) {
    const known = list.find((each) => each.id === id)
    if (known) Object.assign(known, { state, why })
    else list.push({ id, state, why })
  }
  outcomes.set(list.slice(-most))
  const names = new Map(readJournal().map(({ id, name }) => [id, name]))
  const more = ids.filter(
    (id) => isGone({ id, state }) && !isGone(old.get(id)) && names.get(id) !== 'identify',
  )
  sent.set(sent.get() + more.length)
}

export const readSent = sent.get
/** @param {() => void} watcher */
export const watchJournal = (watcher) => [calls, outcomes].forEach((each) => each.watch(watcher))
