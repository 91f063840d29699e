// Bundles the screens into server/dist/screens: index.html, and what it loads, by names with a hash. The service
// compresses them.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createRequire } from 'node:module'
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import resolve from '@rollup/plugin-node-resolve'
import terser from '@rollup/plugin-terser'
import { rollup } from 'rollup'
import { tsc } from '../../scripts/setup/tsc.mjs'

const here = import.meta.dirname
const out = join(here, '../dist/screens')
/** What a first visit may load, all of it compressed by brotli. Fonts come after the page is drawn, and count apart. */
const mostBytes = 150_000
const mostFontBytes = 80_000
const { resolve: find } = createRequire(import.meta.url)
/** Packages whose code or fonts are in the bundle. */
const bundled = ['preact', 'uplot', '@fontsource-variable/alegreya', '@fontsource-variable/instrument-sans']
/** The demo has the same ones. */
const fonts = {
  serif: '@fontsource-variable/alegreya/files/alegreya-latin-wght-normal.woff2',
  sans: '@fontsource-variable/instrument-sans/files/instrument-sans-latin-wght-normal.woff2',
}

const compile = () => {
  rmSync(join(here, 'build'), { recursive: true, force: true })
  const { status } = spawnSync(process.execPath, [tsc, '-p', join(here, 'tsconfig.build.json')], {
    stdio: 'inherit',
  })
  if (status !== 0) process.exit(status ?? 1)
}

/** @param {string} input @param {import('rollup').Plugin[]} plugins */
const bundleScript = async (input, plugins) => {
  const bundle = await rollup({ input: join(here, 'build/screens/src', input), plugins })
  const { output } = await bundle.generate({ format: 'es' })
  await bundle.close()
  if (output.length > 1) throw new Error('The screens are one script, but rollup made several chunks.')
  return output[0].code
}

/** Every style sheet below src, those of the whole first. No rule may depend on the order of two components. */
const joinStyles = () => {
  const folder = join(here, 'src')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.css'),
  )
  const sorted = files.toSorted(
    (a, b) => Number(b === 'base.css') - Number(a === 'base.css') || (a < b ? -1 : 1),
  )
  const sheets = [find('uplot/dist/uPlot.min.css'), ...sorted.map((name) => join(folder, name))]
  return sheets
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n')
    .replaceAll(/\/\*[^]*?\*\//g, '')
    .replaceAll(/\s+/g, ' ')
}

const licences = () =>
  bundled
    .map((name) => {
      const folder = dirname(find(`${name}/package.json`))
      const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
      return `${name} ${version}\n\n${readFileSync(join(folder, 'LICENSE'), 'utf8')}`
    })
    .join('\n\n')

/** A name with a hash, which changes with the contents. @param {string} name @param {string | Buffer} content */
const nameOf = (name, content) => {
  const hash = createHash('sha256').update(content).digest('base64url').slice(0, 10).replaceAll(/[-_]/g, '0')
  return `${name.slice(0, -extname(name).length)}-${hash}${extname(name)}`
}

/** Writes a file, and tells its size as the service sends it. @param {string} name @param {string} text */
const write = (name, text) => {
  writeFileSync(join(out, name), text)
  const small = brotliCompressSync(text).length
  console.log(`server/dist/screens/${name}  ${Buffer.byteLength(text)} B, ${small} B brotli`)
  return small
}

/** Writes the fonts, and puts their names into the style sheet beside them. @param {string} style */
const writeFonts = (style) => {
  let size = 0
  for (const [key, path] of Object.entries(fonts)) {
    const font = readFileSync(find(path))
    const name = nameOf(`${key}.woff2`, font)
    writeFileSync(join(out, 'assets', name), font)
    size += font.length
    style = style.replace(`%${key}%`, `./${name}`)
  }
  console.log(`server/dist/screens/assets, fonts  ${size} B`)
  if (size > mostFontBytes)
    throw new Error(`The fonts of the screens weigh ${size} B; at most ${mostFontBytes} are allowed.`)
  return style
}

compile()
rmSync(out, { recursive: true, force: true })
mkdirSync(join(out, 'assets'), { recursive: true })
const assets = {
  script: [
    'screens.js',
    await bundleScript('main.js', [resolve({ browser: true }), terser({ ecma: 2022, module: true })]),
  ],
  style: ['screens.css', writeFonts(joinStyles())],
  icon: ['icon.svg', readFileSync(join(here, 'icon.svg'), 'utf8')],
}

let html = readFileSync(join(here, 'index.html'), 'utf8')
let size = 0
for (const [key, [name, text]] of Object.entries(assets)) {
  const file = `assets/${nameOf(name, text)}`
  size += write(file, text)
  // The service makes it right for the depth of the page's address (`server/src/files/screenRoutes.ts`).
  html = html.replace(`%${key}%`, `./${file}`)
}
size += write('index.html', html)
writeFileSync(join(out, 'LICENSES.txt'), licences())
if (size > mostBytes)
  throw new Error(`The screens weigh ${size} B by brotli; at most ${mostBytes} are allowed.`)
