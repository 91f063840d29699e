// Before anything is installed, so nothing here needs more than Node itself.

/**
 * Throws where this Node is too old to build, and where npm has kept a flag to itself.
 * @param {string} script what `npm run` was told @param {string[]} flags that it takes @param {string} node its version
 */
export function checkStart(script, flags, node = process.versions.node) {
  const [major = 0, minor = 0] = node.split('.').map(Number)
  const isGood = major === 20 ? minor >= 19 : major === 22 ? minor >= 12 : major > 22
  if (!isGood)
    throw new Error(`This needs Node 20.19, or 22.12 or later; this is ${node}. See https://nodejs.org`)
  const kept = flags.find((flag) => process.env[`npm_config_${flag.replaceAll('-', '_')}`] !== undefined)
  if (kept === undefined) return
  throw new Error(`npm has kept --${kept} to itself. Put -- before flags: npm run ${script} -- --${kept} …`)
}
