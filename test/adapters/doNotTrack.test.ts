import { afterEach, expect, it, vi } from 'vitest'
import { doNotTrack } from '../../src/adapters/doNotTrack'

afterEach(() => vi.unstubAllGlobals())

it.each([
  ['asks for it', { doNotTrack: '1' }, ['denied', 'denied']],
  ['allows tracking', { doNotTrack: '0' }, ['granted', 'pending']],
  ['says nothing', { doNotTrack: null }, ['granted', 'pending']],
  ['is none, but a server', undefined, ['granted', 'pending']],
])('doNotTrack, where the browser %s', (_, navigator, expected) => {
  vi.stubGlobal('navigator', navigator)
  expect([doNotTrack(), doNotTrack('pending')]).toEqual(expected)
})
