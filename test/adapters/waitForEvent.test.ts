import { describe, expect, it } from 'vitest'
import { waitForEvent, type PlaywrightPage } from '../../src/adapters/testing'

type Accepts = Parameters<PlaywrightPage['waitForResponse']>[0]

/** A page whose answers come at once, and whose time is then over. */
const pageThatGets = (...answers: [status: number, body: object, ...events: string[]][]): PlaywrightPage => ({
  async waitForResponse(accepts: Accepts) {
    for (const [status, body, ...events] of answers) {
      const request = {
        method: () => 'POST',
        url: () => 'https://api.test/track?apiKey=pk',
        postDataJSON: () => events.map((event) => ({ event })),
      }
      if (await accepts({ status: () => status, request: () => request, json: async () => body })) return
    }
    throw new Error('Timeout 1000ms exceeded')
  },
})

describe('waitForEvent', () => {
  it('resolves to the payload that was accepted', async () => {
    const page = pageThatGets([503, {}, 'Signed Up'], [200, { ok: true }, 'Viewed', 'Signed Up'])
    expect(await waitForEvent(page, 'Signed Up')).toEqual({ event: 'Signed Up' })
  })

  it.each([
    ['nothing', [], 'No event came.'],
    ['others', [[200, { ok: true }, 'Viewed', 'Left']], 'These came: "Viewed", "Left".'],
    ['it, refused', [[503, {}, 'Signed Up']], 'These came: "Signed Up" (not accepted: 503).'],
  ] as const)('says when its time is over what came: %s', async (_, answers, says) => {
    const page = pageThatGets(...(answers as never as Parameters<typeof pageThatGets>))
    await expect(waitForEvent(page, 'Signed Up')).rejects.toThrow(
      `waitForEvent: "Signed Up" was not accepted. ${says} Timeout 1000ms exceeded`,
    )
  })
})
