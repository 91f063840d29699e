import type { World } from '../world/createWorld'
import type { Mood, Random } from './drawPlan'
import type { Page } from './livePlan'

interface Payload {
  event?: string
  distinct_id?: string
  anonymous_id?: string
  device_id?: string
  session_id?: string
  new_user_id?: string
  timestamp?: string
  properties?: Record<string, unknown>
  traits?: Record<string, unknown>
}

/** One request, as the one who sees all knows it. */
export interface Request {
  page: Page
  kind: string
  payloads: Payload[]
  begunAt: number
  mood: Mood
  isKeepalive: boolean
  /** The page was going, or had gone, when it began. */
  isHandOff: boolean
  /** The last that its page had heard was that the service, or the network, is not well; or any page had. */
  isWarned: boolean
  mayBeWarned: boolean
  /** When the service had it. */
  arrivedAt?: number
  /** When it took all of it. */
  takenAt?: number
  /** When the page had the answer, or its end without one, and whether it said that all is taken. */
  heardAt?: number
  endedAt?: number
  isAccepted?: boolean
}

/** Which call a payload is of. */
export const numberOf = ({ properties, traits, new_user_id: alias }: Payload) =>
  Number(properties?.['n'] ?? traits?.['n'] ?? alias?.replace('alias-', ''))

/** Keepalive requests of a page share so many bytes of bodies in flight (Fetch, "HTTP-network-or-cache fetch"). */
const keepaliveBytes = 65_536

const answers: Partial<Record<Mood, [status: number, body: string]>> = {
  fails: [503, '{"ok":false,"error_code":"unavailable"}'],
  confused: [502, '<html>Bad gateway</html>'],
  busy: [429, '{"ok":false,"error_code":"too-many"}'],
  captive: [200, '<html>Log in</html>'],
  misconfigured: [401, '{"ok":false,"error_code":"invalid-headers"}'],
}

/** The network and the service behind it. */
export function createNetwork(world: World, random: Random) {
  const requests: Request[] = []
  const state = { mood: 'well' as Mood, isOnline: true, isWarned: false }
  const { scheduler } = world

  const read = (mood: Mood, payloads: Payload[], bytes: number): [number, string] => {
    if (mood === 'small' && bytes > 2000) return [413, '{"ok":false}']
    const isPoisoned = payloads.some((payload) => payload.event === 'Poison')
    if (isPoisoned && !answers[mood]) return [400, '{"ok":false,"error_code":"event-name-too-long"}']
    return answers[mood] ?? [200, '{"ok":true,"task_id":"t","anonymous":true}']
  }

  const fetch = (page: Page, to: string, init: RequestInit): Promise<Response> =>
    new Promise((resolve, reject) => {
      const body = String(init.body)
      const payloads = JSON.parse(body) as Payload[]
      const { mood } = state
      const request: Request = {
        page,
        kind: to.replace(/.*\/(\w+).*/, '$1'),
        payloads,
        begunAt: scheduler.now(),
        mood: state.isOnline ? mood : 'down',
        isKeepalive: init.keepalive === true,
        isHandOff: page.isGoing,
        isWarned: page.isWarned,
        mayBeWarned: state.isWarned,
      }
      requests.push(request)
      const isTooMuch = request.isKeepalive && page.inFlight + body.length > keepaliveBytes
      if (request.isKeepalive && !isTooMuch) page.inFlight += body.length
      let isOver = false
      /** The page hears something, if it still can. */
      const tell = (ms: number, fn: () => void) => {
        scheduler.add(
          () => {
            if (isOver) return
            isOver = true
            request.endedAt = scheduler.now()
            if (request.isKeepalive && !isTooMuch) page.inFlight -= body.length
            fn()
          },
          ms,
          page.tab,
        )
      }
      const warn = (isWarned: boolean) => {
        state.isWarned = isWarned
        // What asks only whether events without ids are taken teaches a page nothing else.
        if (payloads[0]) page.isWarned = isWarned
      }
      const fail = (ms: number, why: Error = new TypeError('Failed to fetch')) =>
        tell(ms, () => {
          warn(true)
          reject(why)
        })
      init.signal?.addEventListener('abort', () => fail(0, new DOMException('', 'AbortError')))
      if (isTooMuch) {
        request.mood = 'down'
        return fail(0)
      }
      const there = mood === 'slow' ? 500 + random.below(8000) : 1 + random.below(60)
      if (request.mood === 'down') return fail(random.pick([1, 100, 4000]))
      if (request.mood === 'hangs') return undefined
      scheduler.add(() => {
        // A page that is gone takes with it what may not outlive it.
        if (!request.isKeepalive && page.tab.isGone) return
        request.arrivedAt = scheduler.now()
        const [status, text] = read(mood, payloads, body.length)
        if (status === 200 && text.includes('"ok":true')) request.takenAt = request.arrivedAt
        if (mood === 'confused') request.takenAt = request.arrivedAt
        if (mood === 'mute') return fail(random.pick([10, 3000]))
        tell(1 + random.below(40), () => {
          request.heardAt = scheduler.now()
          request.isAccepted = status === 200 && text.includes('"ok":true')
          warn(!request.isAccepted && status !== 400 && status !== 413)
          const headers = new Map([['Retry-After', mood === 'busy' ? '7' : null]])
          resolve({
            status,
            ok: status < 300,
            bodyUsed: false,
            body: null,
            headers: { get: (name: string) => headers.get(name) ?? null },
            text: () => Promise.resolve(text),
          } as unknown as Response)
        })
      }, there)
    })

  return { requests, state, fetch }
}
