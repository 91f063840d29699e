import { beforeEach, describe, expect, it } from 'vitest'
import { Logins } from '../../src/users/Logins.js'
import { Users } from '../../src/users/Users.js'

let logins: Logins
beforeEach(() => {
  logins = new Logins(new Users({ users: { ada: 'lovelace', bob: 'builder' }, usersFile: '' }))
})

const attempt = (name: string, password: string, address: string) =>
  logins.check({ name, password, address }).then(
    (identity) => (identity === undefined ? 'wrong' : 'right'),
    (error: { status: number; headers: Record<string, string> }) => {
      expect(error).toMatchObject({ status: 429, code: 'too-many-tries' })
      expect(Number(error.headers['retry-after'])).toBeLessThanOrEqual(2)
      return 'later'
    },
  )

const guess = async (times: number, name: string, addressOf: (at: number) => string) => {
  const outcomes = []
  for (let at = 0; at < times; at++) outcomes.push(await attempt(name, `guess ${at}`, addressOf(at)))
  return outcomes
}

describe('wrong passwords', () => {
  it('are taken a few times from one address, whoever they are for, and then no right one either', async () => {
    const outcomes = [
      ...(await guess(15, 'ada', () => '10.0.0.1')),
      ...(await guess(15, 'bob', () => '10.0.0.1')),
    ]
    expect(outcomes.filter((each) => each === 'wrong')).toHaveLength(20)
    expect(await attempt('ada', 'lovelace', '10.0.0.1')).toBe('later')
    expect(await attempt('ada', 'lovelace', '10.0.0.2')).toBe('right')
  })

  it('are taken a few times for one user from all addresses together', async () => {
    const outcomes = await guess(30, 'ada', (at) => `10.0.1.${at}`)
    expect(outcomes.filter((each) => each === 'wrong')).toHaveLength(20)
  })

  it('from elsewhere do not keep out who has logged in from an address before', async () => {
    expect(await attempt('ada', 'lovelace', '192.168.0.7')).toBe('right')
    await guess(30, 'ada', (at) => `10.0.1.${at}`)
    await guess(30, 'bob', () => '192.168.0.7')
    expect(await attempt('ada', 'lovelace', '192.168.0.7')).toBe('right')
    // Nor may that address guess for ever.
    const own = await guess(30, 'ada', () => '192.168.0.7')
    expect(own.filter((each) => each === 'wrong')).toHaveLength(20)
  })

  it('that come at once count each', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 30 }, (_, at) => attempt('ada', `guess ${at}`, '10.0.0.1')),
    )
    expect(outcomes.filter((each) => each === 'wrong')).toHaveLength(20)
  })
})

it('lets a program begin with many requests at once', async () => {
  const all = await Promise.all(Array.from({ length: 100 }, () => attempt('ada', 'lovelace', '10.0.0.1')))
  expect(new Set(all)).toEqual(new Set(['right']))
})
