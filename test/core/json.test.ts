import { expect, it, vi } from 'vitest'
import { byteLength } from '../../src/core/json'

it.each(['', 'plain', '\0\x7f', 'é', '€', '\u07ff\u0800\ud7ff\ue000\uffff', 'a 👋🏽 b', '漢字かな'])(
  'byteLength counts the bytes of %j as UTF-8',
  (text) => {
    const { length } = new TextEncoder().encode(text)
    // As in Jest's jsdom.
    vi.stubGlobal('TextEncoder', undefined)
    expect(byteLength(text)).toBe(length)
    vi.unstubAllGlobals()
  },
)
