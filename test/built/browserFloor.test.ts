import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { CompatData, CompatStatement, Identifier } from '@mdn/browser-compat-data'
import { parse } from 'acorn'
import { simple } from 'acorn-walk'
import { describe, expect, it } from 'vitest'

/** The README says so. */
const floor = { chrome: 92, firefox: 90, safari: 15.4 } as const
type Engine = keyof typeof floor

/** What bears the name of something newer. */
const allowed: Record<string, string> = {
  databases: 'called where it is there (browser.ts)',
  fetchLater: 'called where it is there (browser.ts)',
  use: 'of waymark itself',
  configure: 'of waymark itself',
  createContext: 'of React',
}

// As it is: the test runner would take half a minute to make a module of it.
const bcd = JSON.parse(
  readFileSync(createRequire(import.meta.url).resolve('@mdn/browser-compat-data'), 'utf8'),
) as CompatData

/** The first version of an engine that has it for good. */
const sinceOf = (compat: CompatStatement | undefined, engine: Engine): number => {
  const support = compat?.support[engine]
  const first = Array.isArray(support) ? support[0] : support
  const added = first && !first.flags && !first.version_removed && !first.prefix ? first.version_added : false
  if (typeof added !== 'string') return Infinity
  return added === 'preview' ? Infinity : Number.parseFloat(added.replace('≤', ''))
}

const isInFloor = (compat: CompatStatement | undefined) =>
  (Object.keys(floor) as Engine[]).every((engine) => sinceOf(compat, engine) <= floor[engine])

/** Every member of every built-in and of every interface, by its name: whether one of them is in the floor. */
const members = new Map<string, boolean>()
const note = (name: string, { __compat }: Identifier) => {
  if (__compat) members.set(name, members.get(name) === true || isInFloor(__compat))
}
for (const group of [bcd.javascript.builtins!, bcd.api])
  for (const [name, identifier] of Object.entries(group as Record<string, Identifier>)) {
    if (name.startsWith('__')) continue
    note(name, identifier)
    for (const [member, inner] of Object.entries(identifier))
      if (!member.startsWith('__')) note(member.replace(/_(static|event)$/, ''), inner as Identifier)
  }

/** What a file calls of an object, or makes with `new`. Names of one or two letters are those that the build has given. */
const readNames = (code: string) => {
  const names = new Set<string>()
  const add = (name: string) => name.length > 2 && names.add(name)
  simple(parse(code, { ecmaVersion: 2022, sourceType: 'module' }), {
    CallExpression({ callee }) {
      if (callee.type === 'MemberExpression' && callee.property.type === 'Identifier')
        add(callee.property.name)
    },
    NewExpression({ callee }) {
      if (callee.type === 'Identifier') add(callee.name)
    },
  })
  return names
}

/** Parts of ES2022 that came late: Chrome 94, Firefox 93, Safari 16.4; nothing that is newer is read at all. */
const readTooNew = (code: string) => {
  const found: string[] = []
  const ast = parse(code, { ecmaVersion: 2022, sourceType: 'module' })
  simple(ast, {
    StaticBlock: ({ type }) => void found.push(type),
    Literal({ regex }) {
      if (regex?.flags.includes('d')) found.push(`/${regex.pattern}/${regex.flags}`)
    },
  })
  for (const statement of ast.body)
    if (statement.type === 'ExpressionStatement' && statement.expression.type === 'AwaitExpression')
      found.push('await outside of a function')
  return found
}

const dist = new URL('../../dist/', import.meta.url)
/** For Node, for development and for the tests of others. */
const elsewhere = /^(testing|lakehouse|node|command|overlay\.development)\./
const files = readdirSync(dist)
  .filter((name) => name.endsWith('.js') && !elsewhere.test(name))
  .map((name) => [name, readFileSync(new URL(name, dist), 'utf8')] as const)

describe('the oldest browsers', () => {
  it('are those of the README', () => {
    const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
    const { chrome, firefox, safari } = floor
    expect(readme).toContain(`Chrome and Edge ${chrome}, Firefox ${firefox}, Safari ${safari}`)
  })

  it('can read the syntax of every built file', () => {
    expect(files.length).toBeGreaterThan(20)
    for (const [name, code] of files) expect([name, readTooNew(code)]).toEqual([name, []])
    expect(readTooNew('class A { static {} }; /a/d.test(b); await c')).toEqual([
      'StaticBlock',
      '/a/d',
      'await outside of a function',
    ])
  })

  it('have every method and class that a built file uses, but those that it asks for first', () => {
    const missing = files.flatMap(([file, code]) =>
      [...readNames(code)].filter((name) => members.get(name) === false).map((name) => `${file}: ${name}`),
    )
    expect(missing.filter((each) => !Object.keys(allowed).includes(each.split(': ')[1]!))).toEqual([])
  })

  it('are told from what is older by this check', () => {
    const found = [
      ...readNames(
        'a.toSorted(); Object.groupBy(b); c.at(0)?.withResolvers?.(); new WeakRef(d); new CloseWatcher()',
      ),
    ]
    expect(found.filter((name) => members.get(name) === false)).toEqual([
      'toSorted',
      'groupBy',
      'withResolvers',
      'CloseWatcher',
    ])
  })
})
