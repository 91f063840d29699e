import { describe, expect, it } from 'vitest'
// @ts-expect-error plain JavaScript
import { findWrongDoors } from '../../e2e/equality/judge/findWrongDoors.mjs'
// @ts-expect-error plain JavaScript
import { countDifferences, judge } from '../../e2e/equality/judge/judge.mjs'
// @ts-expect-error plain JavaScript
import { questions } from '../../e2e/equality/judge/questions.mjs'
// @ts-expect-error plain JavaScript
import { readDay, readValue } from '../../e2e/equality/judge/readTexts.mjs'
// @ts-expect-error plain JavaScript
import { listScreens } from '../../e2e/equality/judge/screens.mjs'
// @ts-expect-error plain JavaScript
import { planPeople } from '../../e2e/equality/people/planPeople.mjs'
// @ts-expect-error plain JavaScript
import { spoil } from '../../e2e/equality/truth/spoil.mjs'
// @ts-expect-error plain JavaScript
import { tellTruth } from '../../e2e/equality/truth/tellTruth.mjs'
import type { Answer, Person, Question, Row, Truth, Verdict } from '../../e2e/equality/types'

const planOf = (seed: number) => planPeople({ count: 20, seed, canKill: true }) as Person[]
const truthOf = (people: Person[]) => tellTruth(people) as Truth
const readings = listScreens('Europe/Berlin').flatMap(
  (screen: { readings: Question[] }) => screen.readings,
) as Question[]
/** A service that answers as it should. */
const answersOf = (truth: Truth): Answer[] =>
  [...(questions as Question[]), ...readings].map(({ name, about, expect: tell }) => {
    return { by: 'SQL', name, about, source: '', expect: tell, rows: tell(truth) }
  })
const differences = (answers: Answer[], truth: Truth) => countDifferences(judge(answers, truth)) as number

const people = planOf(1)
const answers = answersOf(truthOf(people))

describe('the judge', () => {
  it('finds no difference where the answers are right, in whatever order', () => {
    const turned = answers.map((answer) => ({ ...answer, rows: answer.rows.toReversed() }))
    expect(differences(turned, truthOf(people))).toBe(0)
  })

  it.each(['leave-out', 'wrong-user'])('notices a truth that is spoilt by %s', (spoiling) => {
    expect(differences(answers, truthOf(spoil(people, spoiling) as Person[]))).toBeGreaterThan(0)
  })

  it.each(answers.map(({ name }) => name))('notices one row less in %s', (name) => {
    const less = answers.map((answer) =>
      answer.name === name ? { ...answer, rows: answer.rows.slice(1) } : answer,
    )
    expect(differences(less, truthOf(people))).toBe(1)
  })

  it('notices an event that is stored twice, and says which', () => {
    const again = answers.map((answer) => ({ ...answer, rows: [...answer.rows, answer.rows[0] as Row] }))
    const [events] = judge(again, truthOf(people)) as Verdict[]
    expect(events).toMatchObject({ missing: [], extra: [JSON.stringify(answers[0]?.rows[0])] })
  })

  it('notices requests of a device that is not to be recorded, and a device that sent none', () => {
    const truth = truthOf(people)
    const device = truth.events[0]?.device ?? ''
    expect(findWrongDoors(truth, { [device]: 3, 'p/private': 0 })).toEqual([])
    expect(findWrongDoors(truth, { [device]: 0, 'p/private': 1 })).toEqual([
      expect.stringContaining(device),
      expect.stringContaining('p/private'),
    ])
  })
})

describe('a screen', () => {
  it.each([
    ['Mon, 2 Mar 2026', '2026-03-02'],
    ['Thu 24 Sept 2026', '2026-09-24'],
  ])('says %s for a day', (shown, day) => {
    expect(readDay([shown])).toBe(day)
  })

  it('says in brackets that there is no value', () => {
    expect(readValue(['(direct)'])).toBe(null)
    expect(readValue(['/docs'])).toBe('/docs')
  })
})

describe('people', () => {
  it('are the same again with the same seed, and others with another', () => {
    expect(planOf(7)).toEqual(planOf(7))
    expect(planOf(7)).not.toEqual(planOf(8))
  })

  it('never do two things at the same time by the clocks of their devices', () => {
    for (let seed = 1; seed <= 50; seed++) {
      for (const { id, steps } of planOf(seed)) {
        const clocks = steps.map(({ clock }) => clock)
        expect(new Set(clocks).size, `${id} of seed ${seed}`).toBe(clocks.length)
      }
    }
  })
})
