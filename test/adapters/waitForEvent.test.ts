import { expect, it } from 'vitest'
import { waitForEvent } from '../../src/adapters/testing'

/** A Playwright page that lets a test answer for the service. */
function createPage() {
  let accepts: (response: object) => Promise<boolean>
  let finish: () => void
  return {
    waitForResponse(predicate: typeof accepts) {
      accepts = predicate
      return new Promise<void>((resolve) => (finish = resolve))
    },
    async answer(event: object, body: object | Promise<object>) {
      const request = { method: () => 'POST', url: () => 'https://a.test/track', postDataJSON: () => [event] }
      const isIt = await accepts({ request: () => request, json: async () => body })
      if (isIt) finish()
      return isIt
    },
  }
}

it('waits for the event that it was asked for, whatever else is answered meanwhile', async () => {
  const page = createPage()
  const signedUp = waitForEvent(page as never, 'Signed Up', { where: ({ properties }) => !!properties })
  let accept: (body: object) => void = () => {}
  const accepted = new Promise<object>((resolve) => (accept = resolve))
  const asked = page.answer({ event: 'Signed Up', properties: { plan: 'pro' } }, accepted)
  expect(await page.answer({ event: 'Other' }, { ok: true })).toBe(false)
  expect(await page.answer({ event: 'Signed Up' }, { ok: true })).toBe(false)
  expect(await page.answer({ event: 'Signed Up', properties: {} }, { ok: false })).toBe(false)
  accept({ ok: true })
  expect(await asked).toBe(true)
  expect(await signedUp).toEqual({ event: 'Signed Up', properties: { plan: 'pro' } })
})
