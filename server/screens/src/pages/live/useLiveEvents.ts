import { useState } from 'preact/hooks'
import { type Problem, toProblem } from '../../data/Problem'
import { ask, type Json } from '../../data/query'
import { expireSession } from '../../data/session'
import { type LiveQuestion, newestEvents } from './statements'
import { usePolling } from './usePolling'

export interface LiveEvent {
  id: number
  time: string
  receivedAt: string
  event: string
  personId: string
  name: string
  path: string | null
  properties: Json
}

interface Live {
  /** The newest first; undefined before the first answer. */
  events?: LiveEvent[]
  problem?: Problem
}

export const mostEvents = 200
const everyMs = 2000

const toEvent = ([id, time, receivedAt, event, personId, name, path, properties]: Json[]): LiveEvent => ({
  id: Number(id),
  time: String(time),
  receivedAt: String(receivedAt),
  event: String(event),
  personId: String(personId),
  name: String(name),
  path: path === null || path === undefined ? null : String(path),
  properties: properties ?? null,
})

/** The newest events, and those that come while the page is looked at. */
export function useLiveEvents(question: LiveQuestion, isPaused: boolean): Live {
  const [live, setLive] = useState<Live>({})

  const look = async (signal: AbortSignal) => {
    if (isPaused) return
    const known = live.events ?? []
    try {
      const { rows } = await ask(newestEvents(question, mostEvents, known[0]?.id), { signal })
      if (signal.aborted) return
      setLive(({ events = [] }) => ({ events: [...rows.map(toEvent), ...events].slice(0, mostEvents) }))
    } catch (error) {
      const problem = toProblem(error, signal)
      if (problem.kind === 'login') expireSession()
      else if (problem.kind !== 'cancelled') setLive((before) => ({ ...before, problem }))
    }
  }
  usePolling(look, everyMs, [isPaused])
  return live
}
