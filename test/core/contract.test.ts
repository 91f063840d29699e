import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readAnswer } from '../../src/core/contract'

const read = (status: number, body: unknown) =>
  readAnswer(status, typeof body === 'string' ? body : JSON.stringify(body), NaN)

describe('readAnswer', () => {
  it('accepts only a 2xx that says ok: true', () => {
    expect(read(200, { ok: true, task_id: 't', error_code: null })).toMatchObject({
      status: 'accepted',
      taskId: 't',
    })
    expect(read(202, { ok: true })).toMatchObject({ status: 'accepted' })
  })

  it('keeps what a captive portal, an empty answer or ok: false left open', () => {
    for (const body of [
      '<html>Log in to this network</html>',
      '',
      'null',
      '[]',
      '1',
      { ok: 'yes' },
      { ok: false },
    ]) {
      expect(read(200, body).status).toBe('retry')
    }
  })

  it.each([408, 425, 429, 500, 502, 503, 504, 302])('tries again after %i', (status) => {
    expect(read(status, '').status).toBe('retry')
  })

  it.each([
    'event-name-too-long',
    'property-name-too-long',
    'trait-name-too-long',
    'unknown-built-in-property',
  ])('refuses the payload for %s, whatever the status', (errorCode) => {
    expect(read(400, { ok: false, error_code: errorCode })).toMatchObject({ status: 'refused', errorCode })
    expect(read(200, { ok: false, error_code: errorCode })).toMatchObject({ status: 'refused', errorCode })
    expect(read(400, { error: errorCode })).toMatchObject({ status: 'refused', errorCode })
  })

  it.each([400, 413, 422])('refuses after a %i without a code, and names the status', (status) => {
    expect(read(status, 'no JSON')).toMatchObject({ status: 'refused', errorCode: `http-${status}` })
  })

  it('keeps everything while key, environment or address are wrong', () => {
    expect(read(400, { ok: false, error_code: 'environment-not-found' })).toMatchObject({
      status: 'misconfigured',
      errorCode: 'environment-not-found',
    })
    for (const status of [401, 403, 404]) {
      expect(read(status, '')).toMatchObject({ status: 'misconfigured', errorCode: `http-${status}` })
    }
  })

  it.each([400, 404, 'constructor', 'toString', {}, []])(
    'takes the code %j for none that it knows',
    (errorCode) => {
      expect(read(200, { ok: false, error_code: errorCode }).status).toBe('retry')
      expect(read(500, { error: errorCode }).status).toBe('retry')
      expect(read(422, { error: errorCode }).status).toBe('refused')
    },
  )

  it('never accepts without ok: true, and never throws, whatever the answer', () => {
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 599 }), fc.oneof(fc.json(), fc.string()), (status, body) => {
        const outcome = read(status, body)
        if (outcome.status !== 'accepted') return
        expect(JSON.parse(body).ok).toBe(true)
      }),
    )
  })
})
