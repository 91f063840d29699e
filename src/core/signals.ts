import { readId } from './contract'
import type { Instance, News } from './instance'
import type { Ended } from './records'
import { brief } from './json'
import type { DropReason, Kind, Outcome, Signals, Stop } from './types'

export const on = <K extends keyof News>(w: Instance, name: K, fn: (news: News[K]) => void): Stop => {
  const listener: [K | false, typeof fn] = [name, fn]
  w.listeners.push(listener)
  return () => {
    listener[0] = false
    w.listeners = w.listeners.filter((other) => other !== listener)
  }
}

/**
 * Tells those who listen: the one way in which news goes up, inside as to the page. One that throws harms neither the
 * others nor the caller, and one that runs is not called again: what it does itself could go on without end.
 */
export const emit: <K extends keyof News>(
  w: Instance,
  name: K,
  ...news: News[K] extends void ? [] : [News[K]]
) => void = (w: Instance, name: keyof News, news?: unknown) => {
  for (const listener of w.listeners) {
    if (listener[0] !== name) continue
    listener[0] = false
    try {
      listener[1](news as never)
    } catch (error) {
      complain(w, 'internal', error)
    }
    listener[0] = name
  }
}

/** Tells the person who debugs: by the signal `error`, and in the console when `always` or in debug mode. */
export const complain = (w: Instance, code: string, what: unknown, always = w.config.debug) => {
  // A listener may put the message into words.
  const error = { code, message: brief(what) }
  emit(w, 'error', error)
  if (always) w.browser.warn(`[waymark] ${code}: ${error.message} (see docs/errors.md#${code})`)
}

export const countDrops = (w: Instance, reason: DropReason, count: number) => {
  w.dropCounts[reason] = (w.dropCounts[reason] ?? 0) + count
  w.lost += count
}

/** Counts what became of payloads, and tells it: to their callers and to the signals. */
export const tell = (w: Instance, [kind, batch]: [Kind, Ended[]], outcome: Outcome) => {
  const { status } = outcome
  // Only the payload knows the id of a call that an earlier page made.
  const ids = batch.map(({ id, body, receipt }) => {
    id ||= readId(body, w.config.insertId)
    receipt?.settle(outcome)
    if (status === 'dropped') {
      countDrops(w, outcome.reason, 1)
      emit(w, 'drop', { kind, id, payload: body, ...outcome } as Signals['drop'])
    }
    return id
  })
  if (!batch[0] || !(status === 'accepted' || status === 'handed-off')) return
  if (status === 'accepted') w.accepted += batch.length
  else w.handedOff += batch.length
  emit(w, 'sent', { kind, ids, ...outcome })
}
