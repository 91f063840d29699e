import { useState } from 'preact/hooks'
import type { Ask } from '../../data/asks'
import { type Problem, toProblem } from '../../data/Problem'
import { ask, type Json } from '../../data/query'
import { expireLogin } from '../../data/login'
import { usePolling } from '../../data/usePolling'

export interface LiveQuestion {
  environment: string
  bots: boolean
  /** Only events of this name. */
  event: string | null
  /** The segment, with the time from which on events and sessions are looked through for it. */
  where?: Json
  from?: string
}

/**
 * How far back the newest events are looked for, one after the other until there are enough: of many months the last
 * hour alone is read at once.
 */
const reaches = ['hour', 'day', 'month', null] as const
type Reach = (typeof reaches)[number]

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
  /** How far back the first of them were looked for. */
  reach: Reach
  /** The newest first; undefined before the first answer. */
  events?: LiveEvent[]
  problem?: Problem
}

export const mostEvents = 200
const everyMs = 2000

/** The newest events, the newest first. */
export const askNewest = (question: LiveQuestion): Ask => ({
  name: 'newest_events',
  ...question,
  most: mostEvents,
})

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
  const [live, setLive] = useState<Live>({ reach: reaches[0] })

  const find = async (since: { reach: Reach } | { after: number }, signal: AbortSignal) =>
    (await ask({ ...askNewest(question), ...since }, { signal })).rows.map(toEvent)

  /** Further and further back, until there are enough; where there were none, those of the last hour. */
  const findFirst = async (signal: AbortSignal): Promise<Live> => {
    for (const reach of live.events ? [] : reaches.slice(0, -1)) {
      const events = await find({ reach }, signal)
      if (events.length === mostEvents) return { reach, events }
    }
    const reach = live.events ? reaches[0] : null
    return { reach, events: await find({ reach }, signal) }
  }

  const look = async (signal: AbortSignal) => {
    if (isPaused) return
    const known = live.events ?? []
    const [newest] = known
    try {
      const next = newest
        ? { reach: live.reach, events: [...(await find({ after: newest.id }, signal)), ...known] }
        : await findFirst(signal)
      if (!signal.aborted) setLive({ ...next, events: next.events?.slice(0, mostEvents) ?? [] })
    } catch (error) {
      const problem = toProblem(error, signal)
      if (problem.kind === 'login') expireLogin()
      else if (problem.kind !== 'cancelled') setLive((before) => ({ ...before, problem }))
    }
  }
  usePolling(look, everyMs, [isPaused])
  return live
}
