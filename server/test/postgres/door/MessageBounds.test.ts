import { expect, it } from 'vitest'
import { MessageBounds } from '../../../src/postgres/door/readMessage.js'
import { message } from '../../fixtures/WireClient.js'

it('knows the end of each message, however the bytes come', () => {
  const sent = [message('Z', 'I'), message('D', 'x'.repeat(300)), message('1', '')]
  const ends = new Set(sent.map((_, at) => Buffer.concat(sent.slice(0, at + 1)).length))
  const bytes = Buffer.concat(sent)
  for (const size of [1, 3, 7, bytes.length]) {
    const bounds = new MessageBounds()
    expect(bounds.isAtEnd).toBe(true)
    for (let at = 0; at < bytes.length; at += size) {
      bounds.pass(bytes.subarray(at, at + size))
      expect(bounds.isAtEnd).toBe(ends.has(Math.min(at + size, bytes.length)))
    }
  }
})
