// Files that pandas, polars, pyarrow and fastparquet write, and some of what Excel, R and Spark are known to write.
import { installPython, toolPackages } from '../../../scripts/test/installPackages.mjs'
import { compareFiles } from './compareFiles.mjs'

/** @type {import('../../../scripts/test/suites.mjs').Suite} */
export async function run(service) {
  const python = await installPython('tools', toolPackages)
  return python ? compareFiles(service, python, 'make.py') : 'Python, or a package of it, is not to be had'
}
