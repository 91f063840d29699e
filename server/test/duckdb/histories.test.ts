import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { maskFactor, maxMoves, maxSteps, registerHistories } from '../../src/duckdb/histories.js'

interface Happened {
  us: number
  seq: number
  mask: number
}

interface History {
  events: Happened[]
  within: number
}

let instance: DuckDBInstance
let connection: DuckDBConnection
beforeAll(async () => {
  instance = await DuckDBInstance.create(':memory:', { threads: '2' })
  connection = await instance.connect()
  registerHistories(connection)
})
afterAll(() => {
  connection.closeSync()
  instance.closeSync()
})

const found = `SELECT waymark_chain(list_transform(h.events,
    lambda e: e.us::HUGEINT * 18446744073709551616 + (e.seq * ${maskFactor} + e.mask)), h.within) AS keys
  FROM (SELECT unnest(from_json($1::JSON,
    '[{"events":[{"us":"BIGINT","seq":"BIGINT","mask":"BIGINT"}],"within":"BIGINT"}]')) AS h)`

/** The times and sequence numbers of the chain that counts in each history. */
const chainsOf = async (histories: History[]): Promise<[bigint, bigint][][]> => {
  const reader = await connection.runAndReadAll(found, [JSON.stringify(histories)])
  return reader
    .getRows()
    .map(([keys]) =>
      (keys as { items: bigint[] }).items
        .filter((key) => key !== 0n)
        .map((key): [bigint, bigint] => [key >> 64n, key & (2n ** 64n - 1n)]),
    )
}

const inOrder = (events: Happened[]) => events.toSorted((a, b) => a.us - b.us || a.seq - b.seq)

const isStep = ({ mask }: Happened, step: number) => (mask >> step) % 2 === 1

/** From one start the earliest event of each step, in the words of docs/answers.md. */
const chainFrom = (events: Happened[], start: number, within: number): Happened[] => {
  const chain = [events.at(start)!]
  for (const each of events.slice(start + 1))
    if (chain.length < maxSteps && isStep(each, chain.length) && each.us - chain.at(0)!.us <= within)
      chain.push(each)
  return chain
}

/** The longest; of equal ones the first to end, and of these the first to begin. */
const told = ({ events, within }: History): [bigint, bigint][] => {
  const sorted = inOrder(events)
  let best: Happened[] = []
  for (const [at, each] of sorted.entries()) {
    if (!isStep(each, 0)) continue
    const chain = chainFrom(sorted, at, within)
    const isEarlier = () => sorted.indexOf(chain.at(-1)!) < sorted.indexOf(best.at(-1)!)
    if (chain.length > best.length || (chain.length === best.length && isEarlier())) best = chain
  }
  return best.map(({ us, seq }) => [BigInt(us), BigInt(seq)])
}

/** Numbers that look random, and are alike in each run. */
const numbers = (seed: number) => {
  let state = seed
  return (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const masks = [1, 1, 1, 2, 2, 4, 4, 8, 3, 5, 6, 12, 15, 512, 1023, 256, 31]

describe('chain', () => {
  it('is the chain of plain loops, for histories of any order with equal times and events of several steps', async () => {
    const below = numbers(1)
    const histories = Array.from({ length: 20_000 }, (): History => {
      const span = [2, 5, 20, 400].at(below(4))!
      const base = [-3, 0, 1_750_000_000_000_000, 2 ** 32 - 5].at(below(4))!
      const events = Array.from({ length: below(14) }, () => ({
        us: base + below(span),
        seq: 1 + below(5000),
        mask: masks.at(below(masks.length))!,
      }))
      const seqs = new Set(events.map(({ seq }) => seq))
      const distinct = [...seqs].map((seq) => events.find((each) => each.seq === seq)!)
      return { events: distinct, within: [0, 1, 4, 30, 10_000].at(below(5))! }
    })
    const chains = await chainsOf(histories)
    for (const [at, each] of histories.entries()) expect(chains[at], JSON.stringify(each)).toEqual(told(each))
  })

  it('finds the same in a list whose order is far from that of time', async () => {
    const below = numbers(2)
    const events = Array.from({ length: 3000 }, (_, seq) => ({
      us: 1_700_000_000_000_000 + below(2000),
      seq: seq + 1,
      mask: masks.at(below(8))!,
    }))
    const within = 300
    const reversed = inOrder(events).toReversed()
    const expected = told({ events, within })
    expect(expected.length).toBeGreaterThan(2)
    expect(
      await chainsOf([events, inOrder(events), reversed].map((each) => ({ events: each, within }))),
    ).toEqual([expected, expected, expected])
  })

  it('keeps sequence numbers beyond 32 bits, and times of clocks that are centuries wrong', async () => {
    const events = [
      { us: -62_000_000_000_000_000, seq: 2 ** 40 + 3, mask: 1 },
      { us: 253_402_300_800_000_000, seq: 2 ** 33 + 2 ** 24, mask: 1 },
      { us: 253_402_300_800_000_000, seq: 2 ** 33 + 2 ** 24 + 1, mask: 2 },
    ]
    expect(await chainsOf([{ events, within: 5 }])).toEqual([
      events.slice(1).map(({ us, seq }) => [BigInt(us), BigInt(seq)]),
    ])
  })

  it('knows no limit at the greatest number', async () => {
    const reader = await connection.runAndReadAll(
      `SELECT len(list_filter(waymark_chain(list_transform([-8640000000000000000, 0, 8210000000000000000]::BIGINT[],
        lambda us, nth: us::HUGEINT * 18446744073709551616 + (nth * ${maskFactor} + 7)), 9223372036854775807)::HUGEINT[],
        lambda key: key <> 0))`,
    )
    expect(reader.getRows()).toEqual([[3n]])
  })

  it('of no events is empty', async () => {
    expect(await chainsOf([{ events: [], within: 5 }])).toEqual([[]])
  })

  it('lets others be answered meanwhile, and is given up when its query is', async () => {
    const events = `list_transform(range(500), lambda e: e::HUGEINT * 18446744073709551616 + e * ${maskFactor} + 3)`
    let isAnswered = false
    const query = connection
      .run(`SELECT max(waymark_chain(${events}, r)[1]) FROM range(10_000_000) t(r)`)
      .catch((error: unknown) => error)
      .finally(() => (isAnswered = true))
    const other = await instance.connect()
    for (let asked = 0; asked < 20; asked++) await other.runAndReadAll('SELECT 1')
    expect(isAnswered).toBe(false)
    // A query that has not begun yet does not hear of it.
    while (!isAnswered) {
      connection.interrupt()
      await other.runAndReadAll('SELECT 1')
    }
    expect(String(await query)).toContain('Interrupted')
    other.closeSync()
  })
})

interface View {
  us: number
  seq: number
  page: number
}
interface Visit {
  views: View[]
  start: number
}

const foundWalks = `SELECT waymark_walk(
    list_transform(v.views, lambda e: e.us::HUGEINT * 18446744073709551616 + e.seq),
    list_transform(v.views, lambda e: e.page), v.start) AS pages
  FROM (SELECT unnest(from_json($1::JSON,
    '[{"views":[{"us":"BIGINT","seq":"BIGINT","page":"UBIGINT"}],"start":"UBIGINT"}]')) AS v)`

const walksOf = async (visits: Visit[]): Promise<number[][]> => {
  const reader = await connection.runAndReadAll(foundWalks, [JSON.stringify(visits)])
  return reader.getRows().map(([pages]) => (pages as { items: bigint[] }).items.map(Number))
}

/** In the words of docs/answers.md. */
const toldWalk = ({ views, start }: Visit): number[] => {
  const pages = views.toSorted((a, b) => a.us - b.us || a.seq - b.seq).map(({ page }) => page)
  const first = start === 0 ? 0 : pages.indexOf(start)
  const followed = first === -1 ? [] : pages.slice(first)
  const once = followed.filter((page, at) => at === 0 || page !== followed[at - 1])
  return Array.from({ length: maxMoves + 1 }, (_, at) => once[at] ?? 0)
}

describe('walk', () => {
  it('is the way of plain loops, for visits of any order with equal times and pages that follow themselves', async () => {
    const below = numbers(3)
    const visits = Array.from({ length: 20_000 }, (): Visit => {
      const span = [2, 5, 400].at(below(3))!
      const pages = [1, 3, 2 ** 32, 2 ** 32 + 1].slice(0, 1 + below(4))
      const views = Array.from({ length: below(40) }, (_, seq) => ({
        us: 1_750_000_000_000_000 + below(span),
        seq: ((seq * 7919) % 1000) + 1,
        page: pages.at(below(pages.length))!,
      }))
      return { views, start: [0, 1, 2 ** 32, 5].at(below(4))! }
    })
    const walks = await walksOf(visits)
    for (const [at, each] of visits.entries()) expect(walks[at], JSON.stringify(each)).toEqual(toldWalk(each))
  })
})
