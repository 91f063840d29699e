// Sets everything up, then runs checks, one named and timed step after the other.
//   npm test                        what a commit needs
//   npm run test:all                the long ones as well
//   npm run test:all -- --rest      the long ones alone
//   npm test -- --only unit,e2e     some steps (the build is made when they need it)
//   npm test -- --only unit -- …    the rest goes to what runs the tests: files, flags
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ensureInstalled } from './setup.mjs'
import { root } from './setup/root.mjs'
import { label } from './setup/run.mjs'
import { findSlowest } from './test/findSlowest.mjs'
import { readCounts } from './test/readCounts.mjs'
import { steps } from './test/steps.mjs'

const textOf = (/** @type {unknown} */ error) => (error instanceof Error ? error.message : String(error))
const seconds = (/** @type {number} */ sinceMs) => `${((Date.now() - sinceMs) / 1000).toFixed(1)} s`

const end = process.argv.indexOf('--', 2)
const flags = process.argv.slice(2, end < 0 ? undefined : end)
const more = end < 0 ? [] : process.argv.slice(end + 1)

/** @returns {string[]} */
function readWanted() {
  const names = steps.map(({ name }) => name)
  const at = flags.indexOf('--only')
  if (at < 0) {
    const [isAll, isRest] = ['--all', '--rest'].map((flag) => flags.includes(flag))
    return steps.filter(({ isLong }) => (isLong ? isAll : !isRest)).map(({ name }) => name)
  }
  const wanted = (flags[at + 1] ?? '').split(',').filter(Boolean)
  const unknown = wanted.filter((name) => !names.includes(name))
  if (wanted.length === 0 || unknown.length > 0)
    throw new Error(
      `--only takes some of ${names.join(',')}${unknown.length ? `, not ${unknown.join(',')}` : ''}.`,
    )
  return wanted
}

/** @param {typeof steps} group steps that run side by side @returns {Promise<string | undefined>} what went wrong */
async function runGroup(group) {
  const problems = await Promise.all(
    group.map(async ({ name, run }) => {
      const startedMs = Date.now()
      try {
        await (group[1] ? label.run(name, run, more) : run(more))
        console.log(`✔ ${name} (${seconds(startedMs)})`)
        return undefined
      } catch (error) {
        return `step “${name}” failed after ${seconds(startedMs)}: ${textOf(error)}`
      }
    }),
  )
  return problems.find(Boolean)
}

/** @param {string[]} wanted @returns {Promise<string | undefined>} what went wrong */
async function runSteps(wanted) {
  const chosen = steps.filter(({ name }) => wanted.includes(name))
  /** @type {(typeof steps)[]} */
  const groups = []
  for (const step of chosen)
    if (step.isBeside && groups.at(-1)?.at(-1) === steps[steps.indexOf(step) - 1]) groups.at(-1)?.push(step)
    else groups.push([step])
  for (const group of groups) {
    for (const step of group)
      console.log(`\n▶ ${chosen.indexOf(step) + 1}/${chosen.length} ${step.name}: ${step.about}`)
    const problem = await runGroup(group)
    if (problem) return problem
  }
  return undefined
}

const startedMs = Date.now()
let problem
try {
  const wanted = readWanted()
  // Counts of an earlier run must never be taken for this one's.
  rmSync(join(root, '.cache/reports'), { recursive: true, force: true })
  mkdirSync(join(root, '.cache/reports'), { recursive: true })
  await ensureInstalled()
  problem = await runSteps(wanted)
} catch (error) {
  problem = textOf(error)
}

const { passed, failed, notes } = readCounts()
for (const note of notes) console.log(note)
const slowest = findSlowest(10)
if (slowest.length > 0) console.log('\nThe slowest files:')
for (const { seconds: took, file } of slowest) console.log(`${took.toFixed(1).padStart(7)} s  ${file}`)
console.log(problem ? `\n✘ ${problem}` : `\n✔ everything passed (${seconds(startedMs)})`)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = problem || failed > 0 ? 1 : 0
