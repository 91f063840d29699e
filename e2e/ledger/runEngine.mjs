import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createStage } from './createStage.mjs'
import { waitFor } from './engines/waitFor.mjs'
import { visitAgain } from './visitAgain.mjs'

/**
 * @typedef {object} Entry one line of the table
 * @property {import('./scenarios/types').Scenario} scenario
 * @property {string} engine
 * @property {number} rounds
 * @property {import('./createBook.mjs').Account} account
 * @property {string[]} notes
 * @property {string[]} missed
 * @property {string[]} broke why the scenario did not come to its end
 * @property {boolean} mayLose
 */

/**
 * Runs scenarios in one engine, and reads back what the service stored.
 * @param {object} parts
 * @param {import('./engines/types').Engine} parts.engine
 * @param {import('./scenarios/types').Scenario[]} parts.scenarios
 * @param {(scenario: import('./scenarios/types').Scenario) => number} parts.roundsOf
 * @param {boolean} parts.fast
 * @param {import('./serve/createPageServer.mjs').PageServer} parts.pages
 * @param {import('./serve/startService.mjs').Service} parts.service
 * @param {(scenario: string) => string} parts.keyOf
 * @param {string} parts.folder for profiles
 * @param {(text: string) => void} parts.progress
 * @param {string} parts.consent
 * @param {Map<string, string[]>} parts.acting for each scenario that acts, where is written that it broke
 * @returns {Promise<Entry[]>}
 */
export async function runEngine({
  engine,
  scenarios,
  roundsOf,
  fast,
  pages,
  service,
  keyOf,
  folder,
  progress,
  consent,
  acting,
}) {
  const profileOf = (/** @type {string} */ name) => {
    const profile = join(folder, `${engine.name}-${name}`)
    mkdirSync(profile, { recursive: true })
    return profile
  }
  /** @type {Map<string, import('./createStage.mjs').Staged>} */
  const staged = new Map()
  for (const scenario of scenarios) {
    const { name, kind } = scenario
    const profile = profileOf(kind === 'alone' ? 'alone' : 'driven')
    const rounds = roundsOf(scenario)
    const parts = {
      scenario,
      engine,
      pages,
      serviceUrl: service.url,
      key: keyOf(name),
      rounds,
      fast,
      profile,
      consent,
    }
    staged.set(name, await createStage(parts))
  }

  /** @param {import('./createStage.mjs').Staged} one */
  const act = async ({ scenario, stage, broke, end }) => {
    const startedAt = Date.now()
    const key = `${engine.name} ${scenario.name}`
    acting.set(key, broke)
    progress(`${engine.name} ${scenario.name}: ${stage.rounds} rounds`)
    try {
      await scenario.act(stage)
    } catch (error) {
      broke.push(error instanceof Error ? error.message : String(error))
    }
    await end()
    acting.delete(key)
    progress(`${engine.name} ${scenario.name}: acted in ${((Date.now() - startedAt) / 1000).toFixed(1)} s`)
  }

  const all = [...staged.values()]
  const driven = all.filter(({ scenario }) => scenario.kind !== 'alone')
  const actDriven = async () => {
    if (!driven.length) return
    const session = await engine.launch({ profile: profileOf('driven'), proxyPort: pages.port })
    for (const { stage } of driven) stage.session = session
    // Outages are waiting: they wait together.
    await Promise.all(driven.filter(({ scenario }) => scenario.kind === 'outage').map(act))
    for (const one of driven.filter(({ scenario }) => scenario.kind === 'leaving')) await act(one)
    progress(`${engine.name}: a later visit`)
    await visitAgain(driven, (url) => session.open(url))
    await session.close()
  }
  const alone = all.filter(({ scenario }) => scenario.kind === 'alone')
  const actAlone = async () => {
    for (const one of alone) await act(one)
    const launch = alone[0]?.stage.launch
    if (!launch) return
    progress(`${engine.name}: a later visit, without a driver`)
    await visitAgain(alone, async (url) => {
      const browser = await engine.launchAlone({ ...launch, url })
      return { close: () => browser.stop() }
    })
  }
  // Most of a fast run is waiting, and these are browsers of their own.
  if (fast) await Promise.all([actDriven(), actAlone()])
  else for (const part of [actDriven, actAlone]) await part()

  const storedOf = async (/** @type {string} */ name) => {
    const rows = await service.query(
      `SELECT properties->>'ledger_id', count(*)::INTEGER FROM events WHERE properties->>'ledger_engine' = '${engine.name}' AND starts_with(properties->>'ledger_id', '${name}/') GROUP BY 1`,
    )
    return new Map(rows.map(([id, count]) => /** @type {[string, number]} */ ([id, Number(count)])))
  }
  const entries = []
  for (const { scenario, stage, notes, missed, broke, mayLose } of all) {
    const { proxy, book, rounds } = stage
    const distinct = new Set(proxy.arrivals.filter(({ passed }) => passed).map(({ id }) => id)).size
    let stored = await storedOf(scenario.name)
    // What was accepted becomes a row within a second, on a busy machine within many.
    const areThere = async () => (stored = await storedOf(scenario.name)).size >= distinct
    await waitFor('the rows appear', areThere, { progress: () => stored.size }).catch(() => {})
    entries.push({
      scenario,
      engine: engine.name,
      rounds,
      account: book.close(proxy, stored),
      notes,
      missed,
      broke,
      mayLose,
    })
    await proxy.close()
  }
  return entries
}
