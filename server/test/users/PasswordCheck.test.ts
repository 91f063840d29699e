import { beforeEach, describe, expect, it } from 'vitest'
import { Logger } from '../../src/Logger.js'
import { PasswordCheck } from '../../src/users/PasswordCheck.js'
import { Users } from '../../src/users/Users.js'

let logins: PasswordCheck
let lines: string[]
let nowMs: number
beforeEach(() => {
  lines = []
  nowMs = 0
  const logger = new Logger('warn', (line) => lines.push(line))
  logins = new PasswordCheck(
    new Users({ users: { ada: 'lovelace', bob: 'builder' }, usersFile: '' }),
    logger,
    () => nowMs,
  )
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

  const countWrong = (outcomes: string[]) => outcomes.filter((each) => each === 'wrong').length

  it('from many addresses do not keep out who comes from a new one with the right one', async () => {
    for (let at = 0; at < 600; at++) {
      nowMs = 100 * at
      await attempt('ada', `guess ${at}`, `10.0.1.${at % 10}`)
    }
    // Not even after two slips.
    expect(await guess(2, 'ada', () => '10.0.0.7')).toEqual(['wrong', 'wrong'])
    expect(await attempt('ada', 'lovelace', '10.0.0.7')).toBe('right')
    expect(await attempt('bob', 'builder', '10.0.0.8')).toBe('right')
  })

  it('are taken a few times for one user from all addresses together, and then three from each', async () => {
    expect(countWrong(await guess(20, 'ada', (at) => `10.0.1.${at}`))).toBe(20)
    expect(countWrong(await guess(10, 'ada', () => '10.0.0.1'))).toBe(3)
    expect(countWrong(await guess(10, 'ada', () => '10.0.0.2'))).toBe(3)
    // An hour later that user's tries are there again, and after them each of these has one more.
    nowMs = 3_600_000
    expect(countWrong(await guess(20, 'ada', (at) => `10.0.3.${at}`))).toBe(20)
    expect(countWrong(await guess(10, 'ada', () => '10.0.0.1'))).toBe(1)
  })

  it.each([
    ['a user', () => 'ada'],
    ['names of nobody', (at: number) => `nobody-${at}`],
  ])('for %s are few, from however many addresses', async (_, nameOf) => {
    let taken = 0
    const seconds = 60
    for (let at = 0; at < 100 * seconds; at++) {
      nowMs = at * 10
      if ((await attempt(nameOf(at), 'guess', `10.${at >> 8}.${at & 255}.1`)) === 'wrong') taken++
    }
    // Twenty at once and one every two seconds, and as often as four times a second from addresses that had not tried.
    expect(taken).toBeLessThanOrEqual(20 + seconds / 2 + 20 + 4 * seconds + 1)
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

it('tells the log of a wrong password, with its user if there is one, and without what was typed', async () => {
  await logins.check({ name: 'ada', password: 'guess', address: '10.0.0.1', requestId: 'r-1' })
  await logins.check({ name: 'lovelace', password: 'guess', address: '10.0.0.1' })
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { message: 'A password was wrong.', user: 'ada', address: '10.0.0.1', request_id: 'r-1' },
    { message: 'A password was wrong.', address: '10.0.0.1' },
  ])
  expect(lines.join('')).not.toMatch(/guess|lovelace/)
})

it('lets a program begin with many requests at once', async () => {
  const all = await Promise.all(Array.from({ length: 100 }, () => attempt('ada', 'lovelace', '10.0.0.1')))
  expect(new Set(all)).toEqual(new Set(['right']))
})
