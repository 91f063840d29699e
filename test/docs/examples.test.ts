import { execFile } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { compile } from 'svelte/compiler'
import { describe, expect, it } from 'vitest'
import { compileScript, compileTemplate, parse } from 'vue/compiler-sfc'
// @ts-expect-error plain JavaScript
import { tagEntries } from '../../scripts/entries.mjs'
// @ts-expect-error plain JavaScript
import { tsc } from '../../scripts/setup/tsc.mjs'
import { defaults } from '../../src/core/config'
import { blocks, blocksIn, exists, pathOf, read, type Block } from './pages'

const run = promisify(execFile)
/** What the page's scripts say, of a block that holds more than scripts. */
const scriptsIn = ({ code }: Block) =>
  [...code.matchAll(/<script(?<attributes>[^>]*)>(?<script>[^]*?)<\/script>/g)]
    .filter(({ groups }) => !groups!.attributes!.includes('importmap'))
    .map(({ groups }) => groups!.script!)
    .filter((script) => script.trim())

const scripts = [
  ...blocksIn('js', 'jsx', 'ts', 'tsx').map((block) => ({ ...block, extension: block.language })),
  ...blocksIn('html', 'svelte', 'vue').flatMap((block) =>
    scriptsIn(block).map((code) => ({ ...block, code, extension: 'js' })),
  ),
]

/** A registered plan is the whole program's: the pages that have one are each a program of their own. */
const planned = new Set(
  scripts.filter(({ code }) => code.includes('interface Register')).map(({ page }) => page),
)
const programs = [...planned, 'all others'].map((name) => ({
  name,
  files: scripts.filter(({ page }) => (planned.has(page) ? page : 'all others') === name),
}))

describe('an example of code', () => {
  it.each(programs)('holds against the types of the built package: $name', async ({ name, files }) => {
    const folder = pathOf(`.cache/docs/${name.replaceAll(/\W/g, '-')}/`)
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(new URL('node_modules/', folder), { recursive: true })
    // Where an application has it.
    symlinkSync(fileURLToPath(pathOf('.')), new URL('node_modules/waymark', folder))
    // Each is a module, so that no two of them share a name.
    for (const [at, { code, extension }] of files.entries())
      writeFileSync(new URL(`${at}.${extension}`, folder), `${code}\nexport {}\n`)
    const tsconfig = {
      compilerOptions: {
        target: 'ES2023',
        module: 'ESNext',
        moduleResolution: 'bundler',
        lib: ['ES2023', 'DOM', 'DOM.Iterable'],
        types: [],
        jsx: 'react-jsx',
        allowJs: true,
        checkJs: true,
        strict: true,
        // An example in JavaScript names no types.
        noImplicitAny: false,
        strictNullChecks: false,
        skipLibCheck: true,
        noEmit: true,
      },
      files: [
        fileURLToPath(pathOf('test/docs/names.d.ts')),
        ...files.map(({ extension }, at) => `${at}.${extension}`),
      ],
    }
    writeFileSync(new URL('tsconfig.json', folder), JSON.stringify(tsconfig))
    const { stdout } = await run(process.execPath, [tsc, '-p', fileURLToPath(folder), '--pretty', 'false'], {
      cwd: fileURLToPath(pathOf('.')),
    }).catch((error: { stdout: string }) => error)
    const faults = stdout.replaceAll(
      /^\S*?(\d+)\.[jt]sx?\((\d+),\d+\)/gm,
      (_, at: string, line: string) => `${files[Number(at)]!.at}, line ${line} of the example`,
    )
    expect(faults).toBe('')
  })

  it.each(blocksIn('svelte'))('is a component that Svelte compiles: $at', ({ code }) => {
    expect(() => compile(code, { generate: 'client', runes: code.includes('$props') })).not.toThrow()
  })

  it.each(blocksIn('vue'))('is a component that Vue compiles: $at', ({ code, at }) => {
    const { descriptor, errors } = parse(code)
    expect(errors).toEqual([])
    const { bindings } = compileScript(descriptor, { id: at })
    const source = descriptor.template!.content
    const template = compileTemplate({
      id: at,
      filename: at,
      source,
      ...(bindings && { compilerOptions: { bindingMetadata: bindings } }),
    })
    expect(template.errors).toEqual([])
  })
})

describe('an example of HTML', () => {
  const tags = blocksIn('html').flatMap(({ at, code }) =>
    [...code.matchAll(/<script\s(?<attributes>[^>]*waymark\.iife\.js[^>]*)>/g)].map(({ groups }) => ({
      at,
      attributes: Object.fromEntries(
        [...groups!.attributes!.matchAll(/([\w-]+)(?:=(?:"([^"]*)"|'([^']*)'))?/g)].map(
          ([, name, double, single]) => [name!, double ?? single ?? ''],
        ),
      ),
    })),
  )

  it('shows the script tag', () => expect(tags.length).toBeGreaterThan(2))

  it.each(tags)('gives the script tag attributes that it knows: $at', ({ attributes }) => {
    const known = [...Object.keys(defaults), 'api-key', 'config', 'pageviews', 'plugins']
    const data = Object.keys(attributes).filter((name) => name.startsWith('data-'))
    expect(data.filter((name) => !known.includes(name.slice(5)))).toEqual([])
    const config = JSON.parse(attributes['data-config'] ?? '{}') as object
    expect(Object.keys(config).filter((name) => !(name in defaults))).toEqual([])
    const plugins = (tagEntries as { name: string }[]).map(({ name }) => name)
    for (const name of attributes['data-plugins']?.split(' ') ?? []) expect(plugins).toContain(name)
  })

  it.each(blocksIn('html'))('closes what it opens: $at', ({ code }) => {
    const open: string[] = []
    const isVoid = /^(meta|link|img|input|br|hr)$/
    const markup = code.replaceAll(/<!--[^]*?-->|(?<=<script[^>]*>)[^]*?(?=<\/script>)/g, '')
    for (const [, close, name] of markup.matchAll(/<(\/?)([a-z][\w-]*)(?:"[^"]*"|'[^']*'|[^'">])*>/g))
      if (close) expect(open.pop()).toBe(name)
      else if (!isVoid.test(name!)) open.push(name!)
    expect(open).toEqual([])
  })
})

describe('an example of a command', () => {
  const commands = blocksIn('sh', 'bash').flatMap(({ at, code }) =>
    code
      .replaceAll('\\\n', '')
      .split('\n')
      .map((line) => line.replace(/(^|\s+)#.*/, '').trim())
      .filter(Boolean)
      .map((line) => ({ at, line })),
  )
  const { scripts: ownScripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
  const commandHelp = read('src/command/index.ts').split('`')[1]!
  const flagsPage = read('docs/flags.md')
  const flags = new Set((flagsPage + read('docs/back-up.md')).match(/--[a-z-]+/g))
  const persons = ['/persons/export', '/persons/erase']
  const paths = [
    '/query',
    '/answer',
    '/track',
    '/identify',
    '/alias',
    '/append',
    '/upload',
    '/tasks',
    ...persons,
  ]

  it.each(commands)('names what is there: $line ($at)', ({ line }) => {
    const [program, ...words] = line.split(/\s+/)
    const knowsFlags = () => {
      for (const flag of line.match(/(?<=\s)--[a-z-]+/g) ?? []) expect([...flags, '--']).toContain(flag)
    }
    if (program === 'npm' && words[0] === 'run') {
      expect(Object.keys(ownScripts)).toContain(words[1])
      if (words[1] === 'server') knowsFlags()
    } else if (program === 'waymark-server') knowsFlags()
    else if (program === 'export') {
      const flag = /^WAYMARK_(\w+)=/.exec(words[0]!)![1]!.toLowerCase().replaceAll('_', '-')
      expect([...flags]).toContain(`--${flag}`)
    }
    // PostgreSQL's own: the cluster tests run such ones.
    else if (program === 'psql' || program === 'pg_basebackup') expect(words.length).toBeGreaterThan(0)
    else if (program === 'npm') expect(['ci', 'test', 'pack', 'install']).toContain(words[0])
    else if (program === 'npx' && words[0] === 'waymark') {
      for (const word of words.slice(1)) expect(commandHelp).toContain(word)
    } else if (program === 'npx') expect(exists(`node_modules/.bin/${words[0]}`)).toBe(true)
    else if (program === 'node') expect(exists(words[0]!)).toBe(true)
    else if (program === 'docker') expect(exists('Dockerfile')).toBe(true)
    else if (program === 'curl') {
      const { pathname } = new URL(line.match(/https?:[^\s'"]+/)![0])
      expect(paths).toContain(pathname.replace(/^\/w(?=\/)/, ''))
      const body = /-d '([^']*)'/.exec(line)?.[1]
      if (body) expect(() => JSON.parse(body) as unknown).not.toThrow()
    } else expect.unreachable(`nobody checks ${program}`)
  })
})

it('every example is of a kind that a test looks at', () => {
  const looked = ['js', 'jsx', 'ts', 'tsx', 'html', 'svelte', 'vue', 'sh', 'bash']
  // SQL is run by the service's tests, recipes for proxies by their own; yaml is Prometheus', python one line; the rest is no code.
  const elsewhere = ['sql', 'nginx', 'caddy', 'yaml', 'python', 'json', 'diff', '']
  const others = blocks.filter(({ language }) => ![...looked, ...elsewhere].includes(language))
  expect(others.map(({ at, language }) => `${at} ${language}`)).toEqual([])
})
