import type { Kind, Properties } from '../types'

/** One payload as it would have travelled, and the operation that it belongs to. */
export interface SentPayload {
  kind: Kind
  environment: string
  event?: string
  properties?: Properties
  traits?: Properties
  distinct_id: string
  anonymous_id?: string
  device_id?: string
  session_id?: string
  new_user_id?: string
  timestamp?: string
}

/**
 * A service that lives in memory: it accepts everything, and keeps it for the test to look at.
 *
 * @example
 * const memory = createMemoryTransport()
 * const waymark = createWaymark().init('pk_test', { endpoint: 'https://api.test', transport: { fetch: memory.fetch } })
 * waymark.track('Signed Up', { plan: 'pro' })
 * await waymark.flush()
 * expect(memory.events('Signed Up')).toMatchObject([{ properties: { plan: 'pro' } }])
 */
export function createMemoryTransport() {
  const payloads: SentPayload[] = []

  return {
    /** For `transport.fetch` of the configuration. */
    async fetch(url: string, init: RequestInit): Promise<Response> {
      const kind = /\/(track|identify|alias)(?:\?|$)/.exec(url)?.[1] as Kind
      const sent = [JSON.parse(init.body as string)].flat() as Omit<SentPayload, 'kind'>[]
      payloads.push(...sent.map((payload) => ({ kind, ...payload })))
      return Response.json({ ok: true, task_id: null, error_code: null })
    },
    /** All that was sent, in its order. */
    payloads,
    /** The events that were sent; of this name, when one is given. */
    events: (name?: string) =>
      payloads.filter(({ kind, event }) => kind === 'track' && (name === undefined || event === name)),
    clear() {
      payloads.length = 0
    },
  }
}
