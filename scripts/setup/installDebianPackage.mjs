import { run } from './run.mjs'

/** @param {string[]} names */
export async function installDebianPackage(...names) {
  const isRoot = process.getuid?.() === 0
  const [command, ...prefix] = isRoot ? ['apt-get'] : ['sudo', '-n', 'apt-get']
  const env = { DEBIAN_FRONTEND: 'noninteractive' }
  await run(command, [...prefix, 'update', '-qq'], { env })
  await run(command, [...prefix, 'install', '-y', '-qq', '--no-install-recommends', ...names], { env })
}
