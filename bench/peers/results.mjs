import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, totalmem } from 'node:os'

const file = new URL('results.json', import.meta.url)

/** The results so far; empty before the first run. */
export const readResults = () =>
  existsSync(file)
    ? JSON.parse(readFileSync(file, 'utf8'))
    : { versions: {}, cost: [], delivery: [], service: [] }

export const writeResults = (/** @type {object} */ results) =>
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`)

/** When, and how busy the machine was: of what ran at another time only ratios can be compared. */
export const stamp = () => ({
  at: new Date().toISOString().slice(0, 16),
  loadAverage: Math.round((loadavg()[0] ?? 0) * 10) / 10,
})

/** What the figures depend on; no names of the machine. */
export const describeMachine = (/** @type {string} */ chromium) => ({
  cores: cpus().length,
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  node: process.versions.node,
  platform: `${process.platform} ${process.arch}`,
  chromium,
})
