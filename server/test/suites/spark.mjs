// Files that Spark writes. Its package is 300 MB and takes minutes on a busy machine: it is installed where WAYMARK_SPARK
// is set, and otherwise used where it is there.
import { installPython, sparkPackages } from '../../../scripts/test/installPackages.mjs'
import { run as runCommand } from '../../../scripts/setup/run.mjs'
import { compareFiles } from './compareFiles.mjs'

/** @type {import('../../../scripts/test/suites.mjs').Suite} */
export async function run(service) {
  const ends = async (/** @type {string} */ program, /** @type {string[]} */ args) =>
    (await runCommand(program, args, { quiet: true })).code === 0
  if (!(await ends('java', ['-version']))) return 'there is no Java here'
  const python = process.env.WAYMARK_SPARK
    ? await installPython('spark', sparkPackages)
    : '.cache/suites/spark/bin/python'
  if (!python || !(await ends(python, ['-c', 'import pyspark'])))
    return 'there is no pyspark here (WAYMARK_SPARK=1 installs it)'
  return compareFiles(service, python, 'ofSpark.py')
}
