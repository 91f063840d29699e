import { setTimeout as sleep } from 'node:timers/promises'
import { waitFor } from '../../ledger/engines/waitFor.mjs'
import { tellTruth } from '../truth/tellTruth.mjs'
import { livePerson } from './livePerson.mjs'

/** A backstop, for what is missing: a page asks for what others left five seconds after it began. */
const quietAfterMs = 120_000
/** How long is waited for events of people who are not to be recorded: in this time they would have come. */
const quietMs = 2500

/**
 * All people live, several at once; resolves to how many requests passed each device's door.
 * @param {object} parts
 * @param {import('../types').Person[]} parts.people
 * @param {import('./livePerson.mjs').World} parts.world
 * @param {number} parts.atOnce
 * @param {(statement: string) => Promise<any[][]>} parts.query
 * @param {(text: string) => void} parts.progress
 * @returns {Promise<Record<string, number>>}
 */
export async function runPeople({ people, world, atOnce, query, progress }) {
  /** @type {Record<string, number>} */
  const requests = {}
  let done = 0

  /** @param {import('../types').Person} person */
  const live = async (person) => {
    const startedAt = Date.now()
    const living = await livePerson(person, world)
    try {
      const expected = tellTruth([person]).events.length
      const storedIs = `SELECT count(*) FROM events WHERE starts_with(properties->>'mark', '${person.id}.')`
      // The judge says what is missing; here it is only waited for.
      let stored = 0
      const isThere = async () => (stored = Number((await query(storedIs))[0]?.[0])) >= expected
      const options = { quietMs: quietAfterMs, progress: () => stored }
      if (expected) await waitFor('everything is stored', isThere, options).catch(() => {})
      else await sleep(quietMs)
    } finally {
      await living.close()
    }
    Object.assign(requests, living.requests())
    done++
    const took = ((Date.now() - startedAt) / 1000).toFixed(1)
    progress(
      `${done}/${people.length} ${person.id} ${person.story}: ${person.steps.length} steps in ${took} s`,
    )
  }

  const waiting = [...people]
  const worker = async () => {
    for (let person = waiting.shift(); person; person = waiting.shift()) await live(person)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return requests
}
