import { expect, it } from 'vitest'
import { Rounds, type RunRound } from '../../src/privacy/ErasureRounds.js'

const request = (task: string) => ({ task }) as Parameters<Rounds<string>['erase']>[0]

/** Rounds of which each waits until the test lets it end. */
const start = () => {
  const seen: string[][] = []
  const ends: ((end: { again?: string; error?: Error }) => void)[] = []
  const run: RunRound<string> = async (round) => {
    seen.push(round.map((each) => each.request.task))
    const { again, error } = await new Promise<{ again?: string; error?: Error }>((end) => ends.push(end))
    if (error !== undefined) throw error
    for (const each of round) if (each.request.task !== again) each.resolve(each.request.task)
    return round.filter((each) => each.request.task === again)
  }
  const rounds = new Rounds({ run, stop: () => undefined })
  return { seen, ends, add: (task: string) => rounds.erase(request(task)) }
}

it('carries out together what comes during a round, and again what a round has lost', async () => {
  const { seen, ends, add } = start()
  const first = add('a')
  const more = ['b', 'c'].map(add)
  expect(seen).toEqual([['a']])
  ends.at(0)!({})
  expect(await first).toBe('a')
  await expect.poll(() => seen).toEqual([['a'], ['b', 'c']])
  ends.at(1)!({ again: 'b' })
  expect(await more[1]).toBe('c')
  await expect.poll(() => seen.at(-1)).toEqual(['b'])
  ends.at(2)!({})
  expect(await more[0]).toBe('b')
})

it('tells those of a round that failed why, and goes on', async () => {
  const { seen, ends, add } = start()
  const first = add('a')
  const second = add('b')
  ends.at(0)!({ error: new Error('no disk') })
  await expect(first).rejects.toThrow('no disk')
  await expect.poll(() => seen).toEqual([['a'], ['b']])
  ends.at(1)!({})
  expect(await second).toBe('b')
})

it('takes no more than a hundred into one', async () => {
  const { seen, ends, add } = start()
  for (let at = 0; at <= 101; at++) void add(String(at))
  ends.at(0)!({})
  await expect.poll(() => seen.map((round) => round.length)).toEqual([1, 100])
  ends.at(1)!({})
  await expect.poll(() => seen.map((round) => round.length)).toEqual([1, 100, 1])
})
