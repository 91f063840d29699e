// @vitest-environment happy-dom
import { afterEach, describe, expect, it, vi } from 'vitest'
import { readCookie, writeCookie } from '../../src/browser/cookie'

afterEach(() => vi.restoreAllMocks())

describe('a cookie', () => {
  it('is read as it was written, and gone when it is emptied', () => {
    writeCookie('ids', 'a~b c', true)
    expect(readCookie('ids')).toBe('a~b c')
    writeCookie('ids', '', true)
    expect(readCookie('ids')).toBe('')
  })

  it('that others have spoilt is none', () => {
    vi.spyOn(document, 'cookie', 'get').mockReturnValue('other=1; ids=%')
    expect(readCookie('ids')).toBe('')
  })

  it('is none in a sandbox, where asking for it throws', () => {
    const refuse = () => {
      throw new DOMException('sandboxed', 'SecurityError')
    }
    vi.spyOn(document, 'cookie', 'get').mockImplementation(refuse)
    vi.spyOn(document, 'cookie', 'set').mockImplementation(refuse)
    expect(readCookie('ids')).toBe('')
    expect(() => writeCookie('ids', 'a~b', true)).not.toThrow()
  })
})
