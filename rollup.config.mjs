import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import resolve from '@rollup/plugin-node-resolve'
import terser from '@rollup/plugin-terser'
import dts from 'rollup-plugin-dts'
import { entries, external, peers, tagEntries } from './scripts/entries.mjs'
import { closure } from './scripts/build/closure.mjs'
import { flatten } from './scripts/build/flatten.mjs'
import { letOnly } from './scripts/build/letOnly.mjs'
import { searchNames } from './scripts/build/searchNames.mjs'
import { innerNames, shortNames } from './scripts/innerNames.mjs'

const { version } = JSON.parse(await readFile(new URL('package.json', import.meta.url), 'utf8'))

/** Reads what tsc wrote, with its source map, and puts the version in. */
const compiled = {
  name: 'compiled',
  async load(id) {
    if (!id.includes('/build/') || !id.endsWith('.js')) return null
    const code = await readFile(id, 'utf8')
    return {
      code: code.replaceAll('__VERSION__', JSON.stringify(version)),
      map: JSON.parse(await readFile(`${id}.map`, 'utf8')),
    }
  },
}

/**
 * The main entry must not be in another one a second time. The adapters take it by its name, so that they get the
 * development build where the application does; that build is a shell around the usual one.
 */
const mainEntry = {
  name: 'main-entry',
  resolveId: (source, importer) =>
    source.endsWith('/index') && importer
      ? { id: importer.endsWith('development.js') ? './waymark.js' : 'waymark', external: true }
      : null,
}

/** What a script tag loads for a plugin. The library itself is there, or comes and makes the call. */
const tagFile = ({ source, tag, wrap }) => ({
  name: 'tag-file',
  resolveId: (id) => (id === 'tag' ? id : null),
  load: (id) =>
    id === 'tag'
      ? `import { ${tag ?? wrap} } from ${JSON.stringify(fileURLToPath(new URL(`build/${source}.js`, import.meta.url)))}
         ${tag ? `;(window.waymark ||= []).push(['use', ${tag}()])` : `${wrap}(window.waymark)`}`
      : null,
})

/** `builtins`: terser shortens the inner names though the DOM has them too, because none is read from it (`innerNames.mjs`). */
const properties = { builtins: true, only_cache: true, cache: { props: shortNames } }

const usual = { passes: 5, unsafe_arrows: true, pure_getters: true }

/** Few letters for variables compress better than short names of many: `e`, `t`, …, then `ee`, `te`, … */
const fewLetters = {
  // Terser runs in a worker, which gets this function as text.
  get(n) {
    const letters = 'etnrosiacdulfp'
    let name = letters[n % letters.length]
    while ((n = Math.floor(n / letters.length) - 1) >= 0) name += letters[n % letters.length]
    return name
  },
}

/** What a page loads as it is. */
const minify = terser({
  ecma: 2022,
  module: true,
  compress: { ...usual, lhs_constants: false, pure_new: true },
  mangle: { properties, nth_identifier: fewLetters },
})

/** What bundlers read, and minify again: they do the rest best when functions and declarations are left as they are. */
const shrink = terser({
  ecma: 2022,
  module: true,
  compress: {
    ...usual,
    inline: /** @type {never} */ (1),
    reduce_funcs: false,
    join_vars: false,
  },
  mangle: { properties },
  format: { preserve_annotations: true },
})

/** What the compiler gets: it finds more where terser has been before, too. */
const first = terser({
  ecma: 2022,
  module: true,
  compress: { ...usual, reduce_funcs: false },
  mangle: false,
  format: { beautify: true, preserve_annotations: true },
})

/** The core's types are what the world may name: none of it may have been taken for an inner name. */
const checkInnerNames = {
  name: 'check-inner-names',
  generateBundle(_, files) {
    const named = ['types', ...entries.filter(({ core }) => core).map(({ name }) => name)]
    const code = named.map((name) => (files[`${name}.d.ts`] ?? files[`${name}.d.cts`]).code).join('\n')
    const words = code.replaceAll(/\/\*[^]*?\*\/|\/\/.*/g, '').match(/[\w$]+/g)
    const taken = innerNames.filter((name) => words.includes(name))
    if (taken.length) this.error(`public names must keep their letters: ${taken.join(', ')}`)
  },
}

/** A file that a page loads by a script tag. */
const script = (file, input, ...plugins) => ({
  input,
  plugins: [
    ...plugins,
    compiled,
    resolve({ browser: true }),
    flatten(['w', 'browser']),
    ...(file === 'iife' ? [first, ...closure()] : []),
    letOnly(),
    minify,
    ...(file === 'iife' ? [searchNames()] : []),
  ],
  output: { file: `dist/waymark.${file}.js`, format: 'iife', sourcemap: true },
})

/** What a bundler or Node loads: a module, and for `require` a file that brings its dependencies, which are modules. */
const modules = ({ name, file = name, source, core, banner }) => {
  const input = `build/${source}.js`
  const flat = core ? [flatten(name === 'worker' ? ['w'] : ['w', 'browser'])] : []
  const small = core ? [first, ...closure(), shrink] : []
  const plugins = [mainEntry, compiled]
  return [
    {
      input,
      external,
      plugins: [...plugins, ...flat, ...small],
      output: { file: `dist/${file}.js`, format: 'es', banner, sourcemap: true },
    },
    {
      input,
      external: peers,
      plugins: [...plugins, resolve({ browser: true }), ...flat, ...(core ? [shrink] : [])],
      output: { file: `dist/${file}.cjs`, format: 'cjs', banner, esModule: true },
    },
  ]
}

/** What a bundler loads for development: with all that it imports but the library, as a page in production brings none of it. */
const forDevelopment = (name, source) => ({
  input: `build/${source}.js`,
  external,
  plugins: [mainEntry, compiled, resolve({ browser: true })],
  output: { file: `dist/${name}.development.js`, format: 'es', sourcemap: true },
})

/** The types that several entries name are one file, so that they are the same types. */
const types = (extension) => ({
  dir: 'dist',
  format: 'es',
  entryFileNames: `[name].d.${extension}`,
  chunkFileNames: `types.d.${extension}`,
})

export default [
  ...entries.flatMap(modules),
  ...entries.flatMap(({ name, development }) => (development ? forDevelopment(name, development) : [])),
  // What `bin/waymark.mjs` runs.
  modules({ name: 'command', source: 'command/index' })[0],
  script('iife', 'build/entries/script.js'),
  script('early', 'build/entries/early.js'),
  ...tagEntries.map((entry) => script(entry.name, 'tag', tagFile(entry))),
  {
    input: Object.fromEntries(entries.map(({ name, file = name, source }) => [file, `build/${source}.d.ts`])),
    external,
    plugins: [dts(), checkInnerNames],
    output: [types('ts'), types('cts')],
  },
]
