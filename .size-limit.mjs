/** The script tag ships as it is: measured as the file that a visitor loads, not bundled anew. */
const asIs = (config) => ({ ...config, loader: { '.js': 'copy' } })

export default [
  {
    name: 'script tag, everything in it',
    path: 'dist/waymark.iife.js',
    limit: '10.7 kB',
    brotli: true,
    modifyEsbuildConfig: asIs,
  },
  {
    name: 'npm import of createWaymark, with idb-keyval and nanoid',
    path: 'dist/waymark.js',
    import: '{ createWaymark }',
    limit: '10.7 kB',
    brotli: true,
  },
]
