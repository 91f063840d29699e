import type { IncomingMessage } from 'node:http'
import { expect, it } from 'vitest'
import { Logger } from '../../src/Logger.js'
import { BearerTokens, TokenTries } from '../../src/users/authenticate.js'

const open = () => {
  const lines: string[] = []
  const clock = { nowMs: 0 }
  const tries = new TokenTries(new Logger('warn', (line) => lines.push(line)), () => clock.nowMs)
  const [right, other] = ['right-token-of-24-letters', 'other-token-of-24-letters']
  const tokens = new BearerTokens([right], { flag: '--mcp-tokens', tries })
  const others = new BearerTokens([other], { flag: '--metrics-token', tries })
  const present = (token: string | undefined, remoteAddress = '10.0.0.1', where = tokens) => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
    const request: unknown = { headers, socket: { remoteAddress } }
    return where.indexOf(request as IncomingMessage)
  }
  const guess = (times: number, address?: string, where?: BearerTokens) =>
    Array.from({ length: times }, (_, n) => {
      try {
        return present(`guess-${n}`, address, where)
      } catch (error) {
        expect(error).toMatchObject({ status: 429, code: 'too-many-tries' })
        return 'later'
      }
    }).filter((each) => each === -1).length
  return { lines, clock, right, other, others, present, guess }
}

it('slows and logs wrong tokens by address, those of all flags together, as it does passwords', () => {
  const { lines, clock, right, others, present, guess } = open()
  expect(guess(15) + guess(15, undefined, others)).toBe(20)
  expect(() => present(right)).toThrow('too many wrong tokens')
  expect(present(right, '10.0.0.2')).toBe(0)
  clock.nowMs += 20_000
  expect(guess(30)).toBe(10)
  expect(lines).toHaveLength(30)
  expect(JSON.parse(lines[16] ?? '')).toMatchObject({
    level: 'warn',
    address: '10.0.0.1',
    token_of: '--metrics-token',
  })
  expect(lines.join('')).not.toContain('guess')
})

it('keeps nobody out who has sent a right token from that address before, and counts no request without one', () => {
  const { right, present, guess } = open()
  expect(present(right)).toBe(0)
  expect(guess(50)).toBe(20)
  expect(present(right)).toBe(0)
  for (let n = 0; n < 50; n++) expect(present(undefined)).toBe(-1)
})

it('refuses a token that could be guessed, and does not print it', () => {
  const tries = new TokenTries(new Logger('silent'))
  const make = () => new BearerTokens(['right-token-of-24-letters', 'tiny'], { flag: '--mcp-tokens', tries })
  expect(make).toThrow('A token of --mcp-tokens has 4 letters; give it at least 16')
  expect(make).not.toThrow('tiny')
})
