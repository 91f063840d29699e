// @vitest-environment happy-dom
import { afterEach, describe, expect, it } from 'vitest'
import { errors, type ErrorOptions } from '../../src/plugins/errors'
import { createHost } from './createHost'

let stop = () => {}
afterEach(() => stop())

const begin = (options?: ErrorOptions) => {
  const host = createHost()
  stop = host.start(errors(options))
  return host
}
const fail = (error: unknown, message = '') => {
  // happy-dom has no ErrorEvent that carries these.
  window.dispatchEvent(Object.assign(new Event('error'), { error, message }))
}
const reject = (reason: unknown) =>
  window.dispatchEvent(Object.assign(new Event('unhandledrejection'), { reason }))

describe('errors', () => {
  it('records errors and rejected promises that nobody handled', () => {
    const { tracked } = begin()
    fail(new TypeError('x is not a function'))
    reject(new RangeError('too far'))
    reject('only text')
    expect(tracked).toEqual([
      {
        event: 'Error Caught',
        properties: {
          kind: 'error',
          message: 'x is not a function',
          name: 'TypeError',
          stack: expect.stringContaining('errors.test'),
        },
      },
      {
        event: 'Error Caught',
        properties: {
          kind: 'rejection',
          message: 'too far',
          name: 'RangeError',
          stack: expect.stringContaining('errors.test'),
        },
      },
      { event: 'Error Caught', properties: { kind: 'rejection', message: 'only text' } },
    ])
  })

  it('records each different error once, and no more than its limit in a page', () => {
    const { tracked } = begin({ maxErrors: 3 })
    const error = new Error('again')
    fail(error)
    fail(error)
    for (let n = 0; n < 9; n++) reject(`number ${n}`)
    expect(tracked.map(({ properties }) => properties['message'])).toEqual(['again', 'number 0', 'number 1'])
  })

  it('cuts long messages and stacks, and what may be a token out of addresses', () => {
    const { tracked } = begin()
    const error = new Error('m'.repeat(9999))
    error.stack = `at f (https://shop.test/a.js?token=secret:10:5)\nat https://shop.test/b#secret\n${'s'.repeat(9999)}`
    fail(error)
    const { message, stack } = tracked[0]!.properties as { message: string; stack: string }
    expect(message).toHaveLength(500)
    expect(stack).toHaveLength(2000)
    expect(stack).toContain('at f (https://shop.test/a.js:10:5)\nat https://shop.test/b\n')
    expect(stack).not.toContain('secret')
  })

  it('says nothing of scripts that let nothing be read, and of images that are not there', () => {
    const { tracked } = begin()
    fail(null, 'Script error.')
    const image = document.createElement('img')
    document.body.append(image)
    image.dispatchEvent(new Event('error'))
    expect(tracked).toEqual([])
  })

  it('survives an error that throws when it is read', () => {
    const { tracked } = begin()
    const trap = {
      get message(): string {
        throw new Error('trap')
      },
    }
    expect(() => reject(trap)).not.toThrow()
    reject(Symbol('odd'))
    reject(undefined)
    expect(tracked.map(({ properties }) => properties['message'])).toEqual(['Symbol(odd)', 'undefined'])
  })

  it('hears nothing any more when it is stopped', () => {
    const { tracked } = begin()
    stop()
    fail(new Error('late'))
    expect(tracked).toEqual([])
  })
})
