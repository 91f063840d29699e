import type { Kind, Properties } from '../core/types'

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
  if (!('document' in globalThis) && !('indexedDB' in globalThis))
    console.warn(
      '[waymark] no-page: Nothing will be recorded, because there is no page here. Run this test with jsdom or happy-dom. (see docs/errors.md#no-page)',
    )

  return {
    /** For `transport.fetch` of the configuration. */
    async fetch(url: string, init: RequestInit): Promise<Response> {
      const kind = /\/(track|identify|alias|anonymous)(?:\?|$)/.exec(url)?.[1] as Kind
      const sent = [JSON.parse(init.body as string)].flat() as Omit<SentPayload, 'kind'>[]
      payloads.push(...sent.map((payload) => ({ kind, ...payload })))
      // What the library reads of a Response: Jest's jsdom has none.
      return {
        status: 200,
        headers: new Map(),
        text: async () => '{"ok":true,"anonymous":true}',
      } as unknown as Response
    },
    /** All that was sent, in its order. */
    payloads,
    /** The events that were sent; of this name, when one is given. */
    events: (name?: string) =>
      payloads.filter(
        ({ kind, event }) => /^(track|anonymous)$/.test(kind) && (name === undefined || event === name),
      ),
    clear() {
      payloads.length = 0
    },
  }
}

type Sent = Omit<SentPayload, 'kind'>

interface Answer {
  status(): number
  request(): { method(): string; url(): string; postDataJSON(): unknown }
  json(): Promise<unknown>
}

/** What of Playwright's `Page` is used, so that these types need no Playwright. */
export interface PlaywrightPage {
  waitForResponse(
    accepts: (response: Answer) => Promise<boolean>,
    options?: { timeout?: number },
  ): Promise<unknown>
}

export interface WaitOptions {
  /** Milliseconds to wait; 0 for ever. @defaultValue the timeout of the page, 30 000 unless set */
  timeoutMs?: number
  /** Which one of several with this name. @defaultValue the first */
  where?: (event: Sent) => boolean
}

/**
 * Waits until the service has accepted an event of this name (`ok: true`), and resolves to its payload. It sees what
 * is answered after the call, so call it before what makes the page track. Rejects when the time is over, with the
 * events that came instead. Needs Playwright.
 *
 * @example
 * const signedUp = waitForEvent(page, 'Signed Up')
 * await page.getByRole('button', { name: 'Sign up' }).click()
 * expect((await signedUp).properties).toMatchObject({ plan: 'pro' })
 */
export async function waitForEvent(
  page: PlaywrightPage,
  name: string,
  { timeoutMs, where = () => true }: WaitOptions = {},
): Promise<Sent> {
  let found: Sent | undefined
  const seen: string[] = []
  const accepts = async (response: Answer) => {
    const request = response.request()
    if (request.method() !== 'POST' || !/\/(track|anonymous)(\?|$)/.test(request.url())) return false
    try {
      const sent = [request.postDataJSON()].flat() as Sent[]
      const isAccepted = await response.json().then(
        (answer) => (answer as { ok?: boolean }).ok === true,
        () => false,
      )
      for (const { event } of sent)
        seen.push(isAccepted ? `"${event}"` : `"${event}" (not accepted: ${response.status()})`)
      const event = sent.find((one) => one.event === name && where(one))
      if (!event || !isAccepted) return false
      // Other answers may be looked at meanwhile.
      found ??= event
      return true
    } catch {
      // The body is no JSON.
      return false
    }
  }
  try {
    await page.waitForResponse(accepts, timeoutMs === undefined ? {} : { timeout: timeoutMs })
  } catch (error) {
    // Playwright says how long it has waited, and not for what.
    const came = seen.length ? `These came: ${seen.join(', ')}.` : 'No event came.'
    throw new Error(`waitForEvent: "${name}" was not accepted. ${came} ${(error as Error).message}`, {
      cause: error,
    })
  }
  return found!
}
