/** How the service behaves now. */
export type Mood =
  /** `isCounting`: it says that it takes events without ids. */
  | { kind: 'well'; isCounting?: boolean }
  | { kind: 'down' }
  | { kind: 'hangs' }
  | { kind: 'answers'; status: number; body: string; headers?: Record<string, string> }
  /** Refuses an array that holds a payload with this text, as a whole, before it takes any. */
  | { kind: 'refuses'; text: string; errorCode: string }

interface Payload {
  event?: string
  distinct_id: string
  anonymous_id?: string
  device_id?: string
  session_id?: string
  new_user_id?: string
  environment: string
  timestamp: string
  properties: Record<string, unknown>
  traits?: Record<string, unknown>
}

export interface Arrival {
  path: string
  by: 'fetch' | 'beacon'
  at: number
  init?: RequestInit
  payloads: Payload[]
}

/** A stand-in for the service, with the contract's answers, that remembers what arrived and what it took. */
export function createService(now: () => number) {
  let mood: Mood = { kind: 'well' }
  let release: (() => void) | undefined
  let held: Promise<void> | undefined
  const arrivals: Arrival[] = []
  const taken: Arrival[] = []

  const answer = (arrival: Arrival): Response => {
    if (mood.kind === 'answers')
      return new Response(mood.body, { status: mood.status, headers: mood.headers ?? {} })
    if (mood.kind === 'refuses' && JSON.stringify(arrival.payloads).includes(mood.text)) {
      return Response.json({ ok: false, error_code: mood.errorCode }, { status: 400 })
    }
    taken.push(arrival)
    return Response.json(
      {
        ok: true,
        task_id: `task-${taken.length}`,
        error_code: null,
        ...(mood.kind === 'well' && mood.isCounting && { anonymous: true }),
      },
      { headers: { 'Access-Control-Allow-Credentials': 'true' } },
    )
  }

  const arrive = (by: Arrival['by'], to: string, body: string, init?: RequestInit) => {
    const arrival = {
      by,
      path: to,
      at: now(),
      payloads: JSON.parse(body) as Payload[],
      ...(init && { init }),
    }
    arrivals.push(arrival)
    return arrival
  }

  return {
    arrivals,
    taken,
    /** What was taken, in order: names of events, and `identify` / `alias`. */
    names: () =>
      taken.flatMap(({ path, payloads }) =>
        payloads.map((p) => p.event ?? path.replace(/.*\/(\w+).*/, '$1')),
      ),
    events: () => taken.flatMap(({ payloads }) => payloads),
    become(next: Mood) {
      mood = next
    },
    /** Answers from now on wait until `answerNow`. */
    hold() {
      held = new Promise((resolve) => (release = resolve))
    },
    answerNow() {
      release?.()
      held = undefined
    },
    async fetch(to: string, init: RequestInit, tab: { isGone: boolean }): Promise<Response> {
      if (mood.kind === 'down') throw new TypeError('Failed to fetch')
      const arrival = arrive('fetch', to, String(init.body), init)
      const response = mood.kind === 'hangs' ? undefined : answer(arrival)
      await held
      // A page that is gone never sees the answer; one that waits sees its own abort.
      if (tab.isGone) return new Promise(() => {})
      if (response) return response
      return new Promise((_, reject) => {
        init.signal?.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')))
      })
    },
    beacon(to: string, body: string): boolean {
      if (mood.kind !== 'down') answer(arrive('beacon', to, body))
      return true
    },
  }
}

export type Service = ReturnType<typeof createService>
