// Every entry of the package, once: rollup, size-limit and knip read this list, and `test/entries.test.ts` holds
// package.json and the README's table of sizes against it.

/**
 * @typedef {object} Entry
 * @property {string} name what is imported after `waymark/`, and the file in `dist/`
 * @property {string} [file] the file, where lists of rules block one of that name
 * @property {string} source the module in `src/`
 * @property {string} limit what it may weigh, brotlied; peers and the main entry are there already
 * @property {true} [core] it holds the core
 * @property {string} [banner] what its files begin with
 * @property {string} [development] the module that bundlers take in its place under the condition `development`
 * @property {string} [tag] what makes the plugin, where the script tag can load it: as `dist/waymark.<name>.js`
 * @property {string} [wrap] the same, for what takes the instance itself
 */

/** @type {Entry[]} */
export const entries = [
  {
    name: 'waymark',
    source: 'entries/index',
    limit: '10.65 kB',
    core: true,
    development: 'entries/development',
  },
  { name: 'pageviews', source: 'plugins/pageviews', limit: '0.6 kB' },
  { name: 'campaign', source: 'plugins/campaign', limit: '1.1 kB', tag: 'campaign' },
  { name: 'clicks', source: 'plugins/clicks', limit: '0.8 kB', tag: 'clicks' },
  { name: 'errors', source: 'plugins/errors', limit: '0.5 kB', tag: 'errors' },
  { name: 'forms', source: 'plugins/forms', limit: '0.6 kB', tag: 'forms' },
  { name: 'engagement', source: 'plugins/engagement', limit: '0.7 kB', tag: 'engagement' },
  { name: 'web-vitals', file: 'vitals', source: 'plugins/webVitals', limit: '0.2 kB' },
  { name: 'bots', source: 'plugins/bots', limit: '0.3 kB', tag: 'bots' },
  { name: 'cookie', source: 'plugins/cookie', limit: '0.7 kB', tag: 'cookie' },
  { name: 'id-cookie', source: 'plugins/idCookie', limit: '0.6 kB' },
  { name: 'request-header', source: 'plugins/requestHeader', limit: '0.7 kB', tag: 'requestHeader' },
  { name: 'sample', source: 'plugins/sample', limit: '0.2 kB' },
  { name: 'scopes', source: 'plugins/scopes', limit: '0.8 kB' },
  { name: 'do-not-track', source: 'adapters/doNotTrack', limit: '0.1 kB' },
  { name: 'consent-mode', source: 'adapters/consentMode', limit: '0.4 kB', wrap: 'consentMode' },
  { name: 'import-ids', source: 'plugins/importIds', limit: '0.6 kB' },
  { name: 'checks', source: 'plugins/checks', limit: '4.1 kB', wrap: 'withChecks' },
  { name: 'plan', source: 'core/plan', limit: '0.1 kB' },
  // Empty, but for development: there it shows the page's events.
  { name: 'overlay', source: 'plugins/overlay', limit: '0.1 kB', development: 'plugins/overlay/development' },
  { name: 'react', source: 'adapters/react', limit: '0.3 kB', banner: `'use client';` },
  { name: 'vue', source: 'adapters/vue', limit: '0.3 kB' },
  { name: 'svelte', source: 'adapters/svelte', limit: '0.4 kB' },
  { name: 'worker', source: 'entries/worker', limit: '11 kB', core: true },
  { name: 'node', source: 'node/index', limit: '14.7 kB' },
  { name: 'testing', source: 'adapters/testing', limit: '0.7 kB' },
  { name: 'lakehouse', source: 'lakehouse/index', limit: '1.3 kB' },
]

/** Those that a script tag can load (`data-plugins`, `data-debug`). */
export const tagEntries = entries.filter(({ tag, wrap }) => tag ?? wrap)

/** What an entry may import and never brings. */
export const peers = ['react', 'svelte', 'vue', 'waymark']

/** What a module may import and never brings: its dependencies, too, which the application's bundler finds. */
export const external = ['idb-keyval', 'nanoid', ...peers]

/** What package.json has to export. */
export const exported = Object.fromEntries([
  ...entries.map(({ name, file = name, development }) => {
    const paths = {
      import: {
        types: `./dist/${file}.d.ts`,
        // With what a page in production does without.
        ...(development && { development: `./dist/${file}.development.js` }),
        default: `./dist/${file}.js`,
      },
      require: { types: `./dist/${file}.d.cts`, default: `./dist/${file}.cjs` },
    }
    return [name === 'waymark' ? '.' : `./${name}`, paths]
  }),
  // The files for script tags.
  ['./waymark.*.js', './dist/waymark.*.js'],
  ['./package.json', './package.json'],
])

/** Where package.json says the types are, for `moduleResolution: node10`, which knows no `exports`. */
export const typesVersions = {
  '*': Object.fromEntries(
    entries
      .filter(({ name }) => name !== 'waymark')
      .map(({ name, file = name }) => [name, [`./dist/${file}.d.ts`]]),
  ),
}
