import type { TestProject } from 'vitest/node'
import { ensureBuilt } from '../../scripts/setup.mjs'

const build = () => ensureBuilt({ only: ['library'] })

/** Before any test, so that no two of them build at the same time, each into what the other reads. */
export default async function setup(project: TestProject): Promise<void> {
  await build()
  project.onTestsRerun(build)
}
