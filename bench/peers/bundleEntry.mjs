import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const at = (/** @type {string} */ path) => fileURLToPath(new URL(path, import.meta.url))

const optionsOf = (/** @type {string} */ file, /** @type {Record<string, string>} */ instead = {}) => ({
  entryPoints: [at(file)],
  alias: { waymark: at('../../dist/waymark.js'), ...instead },
  bundle: true,
  minify: true,
  target: 'es2020',
  define: { 'process.env.NODE_ENV': '"production"' },
  legalComments: /** @type {const} */ ('none'),
  logLevel: /** @type {const} */ ('error'),
})

/** A file and all that it imports as one script that sets `peer`. */
async function bundle(/** @type {string} */ file) {
  const options = { ...optionsOf(file), format: /** @type {const} */ ('iife'), globalName: 'peer' }
  const { outputFiles } = await build({ ...options, write: false })
  const [script] = outputFiles
  if (!script) throw new Error(`esbuild made nothing of ${file}`)
  return script.contents
}

/** The entry of a library, with the settings under which all are compared. @param {string} name */
export const bundleEntry = (name) => bundle(`entries/${name}.js`)

/** A start of a library by its defaults. @param {string} name */
export const bundleDefaults = (name) => bundle(`defaults/${name}.js`)

/**
 * The entry as modules, as an application ships it: those that load with the page, and those that the library asks for
 * by `import()` later.
 * @param {string} name
 * @param {Record<string, string>} [instead] another file of the package instead of what its name stands for
 */
export async function splitEntry(name, instead) {
  const options = {
    ...optionsOf(`entries/${name}.js`, instead),
    format: /** @type {const} */ ('esm'),
    splitting: true,
  }
  const { outputFiles, metafile } = await build({
    ...options,
    outdir: 'out',
    absWorkingDir: at('.'),
    write: false,
    metafile: true,
  })
  const outputs = metafile.outputs
  const entry = Object.keys(outputs).find((path) => outputs[path]?.entryPoint?.startsWith('entries/'))
  const needed = new Set([entry])
  for (const path of needed) {
    for (const { path: other, kind } of outputs[path ?? '']?.imports ?? [])
      if (kind === 'import-statement') needed.add(other)
  }
  const isNeeded = (/** @type {{ path: string }} */ file) =>
    [...needed].some((path) => path && file.path === at(path))
  return {
    first: outputFiles.filter(isNeeded).map(({ contents }) => contents),
    later: outputFiles.filter((file) => !isNeeded(file)).map(({ contents }) => contents),
  }
}
