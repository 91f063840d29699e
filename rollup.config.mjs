import { readFile } from 'node:fs/promises'
import resolve from '@rollup/plugin-node-resolve'
import terser from '@rollup/plugin-terser'
import dts from 'rollup-plugin-dts'

const { version } = JSON.parse(await readFile(new URL('package.json', import.meta.url), 'utf8'))

/** What npm users import, each a file of its own: name in `dist/`, and in `build/`. */
const entries = {
  waymark: 'index',
  pageviews: 'plugins/pageviews',
  campaign: 'plugins/campaign',
  clicks: 'plugins/clicks',
  errors: 'plugins/errors',
  forms: 'plugins/forms',
  engagement: 'plugins/engagement',
  'web-vitals': 'plugins/webVitals',
  bots: 'plugins/bots',
  react: 'react/index',
  vue: 'vue/index',
  svelte: 'svelte/index',
  worker: 'worker/index',
  testing: 'testing/index',
  lakehouse: 'lakehouse/index',
}

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

/** The adapters take the instance from the main entry, which must not be in them a second time. */
const mainEntry = {
  name: 'main-entry',
  resolveId: (source) => (source === '../index' ? { id: './waymark.js', external: true } : null),
}

/**
 * Names that only the rooms of the core say to each other: in no public type, never stored, sent or read from the page.
 * Each becomes a letter. What is missing here is only longer; what is here by mistake stops the build (below).
 */
const innerNames = `
  abortReads addIds afterMs assume begin begun choose claim countDrops drain dropAll enter hasDatabase hear hold
  isAway isPage isReady isRefused isStored isUnanswered known lane leave look more noteRefusal originOf payloads
  prepareBeacon prepareFetch prepareHandOff publish readCookie recover recoverDisk refuses registered scan schedule
  settle soon stillOurs suspect suspectDisk tell wipe works writeCookie
`
  .split(/\s+/)
  .filter(Boolean)

const properties = { regex: new RegExp(`^(${innerNames.join('|')})$`) }

const usual = { passes: 5, unsafe_arrows: true, pure_getters: true }

/** What a page loads as it is. */
const minify = terser({
  ecma: 2022,
  module: true,
  compress: { ...usual, lhs_constants: false },
  mangle: { properties },
})

/** What bundlers read, and minify again: they do the rest best when functions and statements are left as they are. */
const shrink = terser({
  ecma: 2022,
  module: true,
  compress: { ...usual, inline: false, reduce_funcs: false, sequences: false, join_vars: false },
  mangle: { properties },
})

/** The entries that hold the core. */
const core = ['waymark', 'worker']

/** The core's types are what the world may name: none of it may have been taken for an inner name. */
const checkInnerNames = {
  name: 'check-inner-names',
  generateBundle(_, files) {
    const types = ['types', ...core].map((name) => files[`${name}.d.ts`].code).join('\n')
    const words = types.replaceAll(/\/\*[^]*?\*\/|\/\/.*/g, '').match(/[\w$]+/g)
    const named = innerNames.filter((name) => words.includes(name))
    if (named.length) this.error(`public names must keep their letters: ${named.join(', ')}`)
  },
}

export default [
  ...Object.entries(entries).map(([name, input]) => ({
    input: `build/${input}.js`,
    external: ['idb-keyval', 'nanoid', 'react', 'svelte', 'vue'],
    plugins: [mainEntry, compiled, ...(core.includes(name) ? [shrink] : [])],
    output: { file: `dist/${name}.js`, format: 'es', sourcemap: true },
  })),
  ...['script', 'early'].map((name) => ({
    input: `build/${name}.js`,
    plugins: [compiled, resolve({ browser: true }), minify],
    output: {
      file: `dist/waymark.${name === 'script' ? 'iife' : name}.js`,
      format: 'iife',
      sourcemap: true,
    },
  })),
  {
    input: Object.fromEntries(
      Object.entries(entries).map(([name, input]) => [`${name}.d`, `build/${input}.d.ts`]),
    ),
    external: ['@playwright/test', 'react', 'svelte', 'vue'],
    plugins: [dts(), checkInnerNames],
    // The types that several entries name are one file, so that they are the same types.
    output: { dir: 'dist', format: 'es', entryFileNames: '[name].ts', chunkFileNames: 'types.d.ts' },
  },
]
