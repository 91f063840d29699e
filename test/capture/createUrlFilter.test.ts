import { describe, expect, it } from 'vitest'
import { createUrlFilter } from '../../src/capture/createUrlFilter'

const clean = createUrlFilter(['utm_*', 'gclid'])

describe('createUrlFilter', () => {
  it('lets only the listed parameters leave the page', () => {
    expect(clean('https://a.test/p?utm_source=x&token=secret&gclid=1&email=a@b.c')).toBe(
      'https://a.test/p?utm_source=x&gclid=1',
    )
  })

  it('removes credentials, and a fragment that is not a route', () => {
    expect(clean('https://me:word@a.test/p#access_token=secret')).toBe('https://a.test/p')
    expect(clean('https://a.test/p#/cart?token=secret')).toBe('https://a.test/p#/cart')
    expect(clean('https://a.test/p#!/cart')).toBe('https://a.test/p#!/cart')
  })

  it('answers nothing for what is no URL', () => {
    expect(clean('')).toBe('')
    expect(clean('not a url')).toBe('')
  })
})
