// npm run bench:service [-- track fresh query cancel upload insertIds manyPersons persons answers archive start screens cache plan sizes soak attacks siege commits cluster clickhouse]
import { ensureBuilt, ensureInstalled } from '../../scripts/setup.mjs'

const benches = {
  track: async () => (await import('./benchTrack.mjs')).benchTrack(),
  fresh: async () => (await import('./benchFresh.mjs')).benchFresh(),
  query: async () => (await import('./benchQuery.mjs')).benchQuery(),
  cancel: async () => (await import('./benchCancel.mjs')).benchCancel(),
  upload: async () => (await import('./benchUpload.mjs')).benchUpload(),
  insertIds: async () => (await import('./benchInsertIds.mjs')).benchInsertIds(),
  manyPersons: async () => (await import('./benchManyPersons.mjs')).benchManyPersons(),
  screens: async () => (await import('./benchScreens.mjs')).benchScreens(),
  cache: async () => (await import('./benchCache.mjs')).benchCache(),
  sizes: async () => (await import('./benchSizes.mjs')).benchSizes(),
  soak: async () => (await import('./benchSoak.mjs')).benchSoak(),
  attacks: async () => (await import('./benchAttacks.mjs')).benchAttacks(),
  siege: async () => (await import('./benchSiege.mjs')).benchSiege(),
  persons: async () => (await import('./benchPersons.mjs')).benchPersons(),
  commits: async () => (await import('./benchCommits.mjs')).benchCommits(),
  cluster: async () => (await import('./benchCluster.mjs')).benchCluster(),
  answers: async () => (await import('./benchAnswers.mjs')).benchAnswers(),
  archive: async () => (await import('./benchArchive.mjs')).benchArchive(),
  clickhouse: async () => (await import('./benchClickhouse.mjs')).benchClickhouse(),
  plan: async () => (await import('./benchPlan.mjs')).benchPlan(),
  start: async () => (await import('./benchStart.mjs')).benchStart(),
}

await ensureInstalled()
await ensureBuilt({ only: ['server'] })
const asked = process.argv.slice(2)
let missed = 0
for (const name of asked.length > 0 ? asked : Object.keys(benches)) {
  if (!(name in benches))
    throw new Error(`There is no bench ${name}; there are ${Object.keys(benches).join(', ')}.`)
  console.log(`— ${name}`)
  for (const [what, target, measured, reached] of await benches[name]()) {
    if (!reached) missed++
    console.log(
      `${reached ? 'reached' : 'MISSED '}  ${what}\n         target ${target}, measured ${measured}`,
    )
  }
}
process.exitCode = missed > 0 ? 1 : 0
