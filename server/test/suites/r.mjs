// Csv files that R writes.
import { run as runCommand } from '../../../scripts/setup/run.mjs'
import { compareFiles } from './compareFiles.mjs'

/** @type {import('../../../scripts/test/suites.mjs').Suite} */
export async function run(service) {
  for (const program of ['Rscript', 'python3']) {
    const { code } = await runCommand(program, ['--version'], { quiet: true })
    if (code !== 0) return `there is no ${program} here`
  }
  return compareFiles(service, 'python3', 'ofR.py')
}
