import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { drawPlan, type Plan } from './drawPlan'
import { judge, lost, twice } from './judge'
import { livePlan } from './livePlan'
import { shrink, tellPlan } from './shrink'

// `npm run simulate` names other seeds, or minutes.
const wanted = process.env['WAYMARK_SIMULATE']
const { first, seeds, minutes } = {
  ...{ first: 1, seeds: 1000, minutes: 0 },
  ...(JSON.parse(wanted ?? '{}') as object),
}

const excused = new Map<string, number>()
let pages = 0

/** What is wrong with a life: of each fault its kind, without the numbers of this life. */
const live = (plan: Plan, counts = new Map<string, number>()): string[] => {
  try {
    const facts = livePlan(plan)
    pages += facts.pages.length
    return judge(facts, counts)
  } catch (error) {
    return [String((error as Error).stack)]
  }
}
const kindOf = (text: string) => text.replace(/\d+|\(.*?\)|".*/g, '').slice(0, 60)

/** A life has a task of Node's for itself: in a microtask no other would run. */
const inTask = <T>(run: () => T) => new Promise<T>((resolve) => setImmediate(() => resolve(run())))

/** Lives that are seldom drawn. This page goes before its database has answered, and tracks when it hears that something was sent. */
const leaver: Plan = {
  seed: 2624,
  engine: 'chromium',
  faults: [],
  config: {},
  actions: [
    { do: 'open' },
    { do: 'call', tab: 0, calls: [{ call: 'track' }], inListener: true },
    {
      do: 'leave',
      tab: 0,
      to: 'gone',
      calls: [],
      exit: [{ call: 'track' }],
      inOneTask: false,
      hiddenFirst: false,
    },
  ],
}

/** This one sleeps while its request is under way, and another page claims its queue. */
const sleeper: Plan = {
  seed: 1,
  engine: 'chromium',
  faults: ['sleep', 'tabs'],
  config: {},
  actions: [
    { do: 'open' },
    { do: 'wait', ms: 100 },
    { do: 'mood', mood: 'slow' },
    { do: 'call', tab: 0, calls: [{ call: 'track' }] },
    { do: 'wait', ms: 2100 },
    { do: 'sleep', tab: 0 },
    { do: 'mood', mood: 'well' },
    { do: 'wait', ms: 10_000 },
    { do: 'open' },
    { do: 'wait', ms: 10_000 },
    { do: 'wake', tab: 0 },
    { do: 'wait', ms: 10_000 },
  ],
}

/** Empty when nothing is wrong; otherwise the smallest plan that is wrong in the same way. */
const tell = (plan: Plan) => {
  const [wrong] = live(plan, excused)
  if (!wrong) return ''
  const small = shrink(plan, (one) => live(one).some((text) => kindOf(text) === kindOf(wrong)))
  return [tellPlan(small), ...live(small)].join('\n')
}

describe('a life at random', () => {
  it(
    'loses nothing and sends nothing twice but as docs/delivery.md says',
    { timeout: 120_000 * minutes + 600_000 },
    async () => {
      const until = Date.now() + minutes * 60_000
      let seed = first
      for (; minutes ? Date.now() < until : seed < first + seeds; seed++)
        expect(await inTask(() => tell(drawPlan(seed)))).toBe('')
      console.log(`seeds ${first} to ${seed - 1}: ${pages} page lives`)
      for (const [name, count] of [...excused].toSorted((a, b) => b[1] - a[1]))
        console.log(`${count} × ${name}`)
      if (wanted) return
      for (const plan of [leaver, sleeper]) expect(await inTask(() => tell(plan))).toBe('')
      const names = [lost, twice].flatMap((table) => Object.keys(table).filter((name) => table[name]))
      expect(names.filter((name) => !excused.has(name))).toEqual([])
    },
  )

  it('is the same again by the same seed', async () => {
    const brief = (seed: number) => {
      const { calls, requests, rows } = livePlan(drawPlan(seed))
      return JSON.stringify([
        calls.map(({ outcome }) => outcome),
        requests.map(({ payloads }) => payloads),
        rows,
      ])
    }
    for (const seed of [3, 5, 8, 13])
      expect(await inTask(() => brief(seed))).toBe(await inTask(() => brief(seed)))
  })
})

it('the exceptions are the rows of docs/delivery.md', () => {
  const text = readFileSync(new URL('../../docs/delivery.md', import.meta.url), 'utf8')
  const rowsOf = (section: string) =>
    [
      ...text
        .split(`## ${section}`)[1]!
        .split('\n## ')[0]!
        .matchAll(/^\| (?!when |---)(.*?) \|/gm),
    ].map(([, cell]) => cell)
  expect(Object.keys(lost)).toEqual([...rowsOf('Lost'), 'Counted without consent'])
  expect(Object.keys(twice)).toEqual(rowsOf('Twice'))
})
