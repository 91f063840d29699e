import { randomBytes } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { LoginTokens } from '../../src/users/LoginTokens.js'

const hour = 3_600_000
let now: number
let passwords: Record<string, string>
let tokens: LoginTokens
const secret = randomBytes(32)
const open = (of = secret) =>
  new LoginTokens(
    of,
    (user) => passwords[user],
    () => now,
  )

beforeEach(() => {
  now = Date.UTC(2026, 0, 1)
  passwords = { ada: 'lovelace', 'jürgen.müller': 'x' }
  tokens = open()
})

describe('a session', () => {
  it('is known by its token, in another process with the same store too', () => {
    for (const user of Object.keys(passwords)) expect(open().read(tokens.begin(user))?.user).toBe(user)
    expect(open(randomBytes(32)).read(tokens.begin('ada'))).toBeUndefined()
  })

  it('ends twelve hours after its token was made', () => {
    const token = tokens.begin('ada')
    now += 12 * hour
    expect(tokens.read(token)?.user).toBe('ada')
    now += 1
    expect(tokens.read(token)).toBeUndefined()
  })

  it('goes on while it is used, for thirty days at most', () => {
    let token = tokens.begin('ada')
    expect(tokens.renew(tokens.read(token)!)).toBeUndefined()
    for (let at = 0; at < 30 * 24; at += 8) {
      now += 8 * hour
      token = tokens.renew(tokens.read(token)!)!
    }
    now += 1
    expect(tokens.read(token)).toBeUndefined()
  })

  it('ends with a new password, and with its user', () => {
    const token = tokens.begin('ada')
    passwords['ada'] = 'byron'
    expect(tokens.read(token)).toBeUndefined()
    passwords['ada'] = 'lovelace'
    expect(tokens.read(token)?.user).toBe('ada')
    delete passwords['ada']
    expect(tokens.read(token)).toBeUndefined()
  })

  it('ends for all of its tokens, and for no other login, when it is ended', () => {
    const [token, other] = [tokens.begin('ada'), tokens.begin('ada')]
    now += hour
    const renewed = tokens.renew(tokens.read(token)!)!
    tokens.end(tokens.read(token)!)
    expect(tokens.read(token)).toBeUndefined()
    expect(tokens.read(renewed)).toBeUndefined()
    expect(tokens.read(other)?.user).toBe('ada')
  })

  it('does not last until a time that a wrong clock said for a moment', () => {
    const before = tokens.begin('ada')
    now += 400 * 24 * hour
    const ahead = tokens.begin('ada')
    now -= 400 * 24 * hour
    expect(tokens.read(ahead)).toBeUndefined()
    expect(tokens.read(before)?.user).toBe('ada')
  })

  it('stays ended when the clock is wrong for a moment', () => {
    const [token, other] = [tokens.begin('ada'), tokens.begin('ada')]
    tokens.end(tokens.read(token)!)
    const right = now
    now += 400 * 24 * hour
    tokens.end({ user: 'ada', id: 'x'.repeat(22), beganMs: now, issuedMs: now })
    now = right
    expect(tokens.read(token)).toBeUndefined()
    expect(tokens.read(other)?.user).toBe('ada')
  })
})
