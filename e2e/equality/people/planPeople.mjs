import { createPlan } from './createPlan.mjs'
import { createRandom } from './createRandom.mjs'
import { hardStories } from './hardStories.mjs'
import { ordinaryStories } from './ordinaryStories.mjs'

/** A Monday; the clocks of Europe change in the fourth week. */
const monday = Date.UTC(2026, 2, 2)
const dayMs = 86_400_000

/**
 * Invents people. All stories come, one after the other, and each differs from person to person; the seed decides all.
 * @param {{ count: number, seed: number, canKill: boolean }} options `canKill`: whether a browser of the engine keeps its storage over a kill
 * @returns {import('../types').Person[]}
 */
export function planPeople({ count, seed, canKill }) {
  const stories = [...ordinaryStories, ...hardStories].filter(({ needsKill }) => canKill || !needsKill)
  return Array.from({ length: count }, (_, index) => {
    const story = stories[index % stories.length]
    if (!story) throw new Error('There are no stories')
    const random = createRandom(seed * 10_007 + index)
    const startsAt = monday + random.whole(0, 20) * dayMs + random.whole(0, 359) * 240_000
    const plan = createPlan(`p${String(index + 1).padStart(3, '0')}`, random, startsAt)
    story.tell(plan)
    return { ...plan.finish(), story: story.name, about: story.about }
  })
}
