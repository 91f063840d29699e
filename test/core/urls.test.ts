import { describe, expect, it, vi } from 'vitest'
import { createUrlFilter } from '../../src/core/urls'

const clean = createUrlFilter({ keepParams: ['utm_*', 'gclid'], redact: undefined })

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

  it('lets redact have the last word', () => {
    const redacted = createUrlFilter({ keepParams: [], redact: (url) => url.replace(/\d+/, ':id') })
    expect(redacted('https://a.test/orders/4711?x=1')).toBe('https://a.test/orders/:id')
  })

  it('sends no URL at all when redact throws', () => {
    const broken = createUrlFilter({
      keepParams: [],
      redact: () => {
        throw new Error('no')
      },
    })
    expect(broken('https://a.test/secret')).toBe('')
  })

  it('asks redact once for a URL that is tracked again and again, and remembers no more than a score of them', () => {
    const redact = vi.fn((url: string) => url)
    const filter = createUrlFilter({ keepParams: [], redact })
    const visit = () => filter('https://a.test/home')
    visit()
    visit()
    expect(redact).toHaveBeenCalledTimes(1)
    for (let n = 0; n < 25; n++) filter(`https://a.test/${n}`)
    visit()
    expect(redact).toHaveBeenCalledTimes(27)
  })

  it('answers nothing for what is no URL', () => {
    expect(clean('')).toBe('')
    expect(clean('not a url')).toBe('')
  })
})

it('strips a URL once, and keeps the last ones alone', () => {
  const seen: string[] = []
  const filter = createUrlFilter({ keepParams: [], redact: (url) => (seen.push(url), url) })
  const urls = Array.from({ length: 40 }, (_, n) => `https://a.test/${n}`)
  for (const url of [urls[0]!, urls[0]!, ...urls, urls[0]!]) filter(url)
  expect(seen).toEqual([...urls, urls[0]])
})
