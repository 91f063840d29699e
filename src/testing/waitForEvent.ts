import type { Page, Response } from '@playwright/test'
import type { SentPayload } from './createMemoryTransport'

type Sent = Omit<SentPayload, 'kind'>

export interface WaitOptions {
  /** Milliseconds to wait; 0 for ever. @defaultValue the timeout of the page, 30 000 unless set */
  timeoutMs?: number
  /** Which one of several with this name. @defaultValue the first */
  where?: (event: Sent) => boolean
}

/**
 * Waits until the service has accepted an event of this name (`ok: true`), and resolves to its payload. It sees what
 * is answered after the call, so call it before what makes the page track. Needs Playwright.
 *
 * @example
 * const signedUp = waitForEvent(page, 'Signed Up')
 * await page.getByRole('button', { name: 'Sign up' }).click()
 * expect((await signedUp).properties).toMatchObject({ plan: 'pro' })
 */
export async function waitForEvent(
  page: Page,
  name: string,
  { timeoutMs, where = () => true }: WaitOptions = {},
): Promise<Sent> {
  let found: Sent | undefined
  const accepts = async (response: Response) => {
    const request = response.request()
    if (request.method() !== 'POST' || !/\/track(\?|$)/.test(request.url())) return false
    try {
      const sent = [request.postDataJSON()].flat() as Sent[]
      const event = sent.find((one) => one.event === name && where(one))
      if (!event || ((await response.json()) as { ok?: boolean }).ok !== true) return false
      // Other answers may be looked at meanwhile.
      found ??= event
      return true
    } catch {
      // No JSON, or the page went before its answer was read.
      return false
    }
  }
  await page.waitForResponse(accepts, timeoutMs === undefined ? {} : { timeout: timeoutMs })
  return found!
}
