import type { Answer, Json } from '../../data/query'

export interface TimelineEvent {
  id: number
  time: string
  event: string
  url: string | null
  properties: Json
}

/** The events of one session that are shown, the newest first. */
export interface Visit {
  sessionId: string | null
  events: TimelineEvent[]
  /** Where the session came from, of its first event that is shown. */
  source: string
  /** Browser, system and device. */
  agent: string
  bot: string | null
}

const text = (value: Json | undefined) => (value === null || value === undefined ? null : String(value))

const hostOf = (url: string | null) => {
  try {
    return url === null ? null : new URL(url).host
  } catch {
    return url
  }
}

/** Puts a person's events, the newest first, into their sessions, by which session was seen last. */
export function toVisits({ columns, rows }: Answer): Visit[] {
  const visits = new Map<string | null, Visit>()
  for (const row of rows) {
    const read = (name: string) => row[columns.findIndex((column) => column.name === name)]
    const sessionId = text(read('session_id'))
    const visit = visits.get(sessionId) ?? { sessionId, events: [], source: '', agent: '', bot: null }
    visits.set(sessionId, visit)
    visit.events.push({
      id: Number(read('event_id')),
      time: String(read('timestamp')),
      event: String(read('event')),
      url: text(read('url')),
      properties: read('properties') ?? null,
    })
    const campaign = ['utm_source', 'utm_medium', 'utm_campaign'].map((name) => text(read(name)))
    const referrer = hostOf(text(read('referrer')))
    const isOutside = referrer !== hostOf(text(read('url')))
    const from = [isOutside && referrer, ...campaign].filter(Boolean)
    // The rows go back in time: the last that says something is the session's first.
    visit.source = from.join(' · ') || visit.source
    visit.agent =
      ['browser', 'os', 'device']
        .map((name) => text(read(name)))
        .filter(Boolean)
        .join(' · ') || visit.agent
    visit.bot ??= text(read('bot'))
  }
  return [...visits.values()]
}
