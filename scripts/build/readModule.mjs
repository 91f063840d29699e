import { attachScopes } from '@rollup/pluginutils'
import { parse } from 'acorn'
import MagicString from 'magic-string'

/** @typedef {any} Node a node of the syntax tree (ESTree), with `start` and `end` */

/** @typedef {ReturnType<typeof readModule>} Module */

/**
 * Reads one file of the bundle, to be rewritten. Each statement of the module gets the names that it declares.
 * @param {string} code
 */
export function readModule(code) {
  const text = new MagicString(code)
  const program = /** @type {Node} */ (parse(code, { ecmaVersion: 'latest', sourceType: 'module' }))
  const outermost = attachScopes(program, 'scope')
  // A script tag's file is wrapped in a function by now.
  const wrapper = program.body.at(-1).expression?.callee
  /** @type {Node[]} */
  const statements = wrapper?.body?.body ?? program.body
  const moduleScope = wrapper?.scope ?? outermost
  /** @type {Map<string, Node>} */
  const values = new Map()
  for (const statement of statements) {
    const declared = statement.declarations ?? (statement.id ? [{ id: statement.id, init: statement }] : [])
    statement.declares = declared.map((/** @type {Node} */ { id }) => id.name)
    for (const { id, init } of declared) values.set(id.name, init)
  }

  return {
    code,
    text,
    program,
    statements,
    /** What a name of the module stands for: a function, a class or another value. */
    valueOf: (/** @type {string | undefined} */ name) => (name ? values.get(name) : undefined),
    /** Whether a name that is read below these nodes is one of the module, not of a function in it. */
    isOfModule(/** @type {string} */ name, /** @type {Node[]} */ ancestors) {
      let { scope } = ancestors.findLast((node) => node.scope) ?? { scope: moduleScope }
      while (scope && !scope.declarations[name]) scope = scope.parent
      return scope === moduleScope
    },
    /** @returns {never} */
    fail(/** @type {Node} */ { start, end }, /** @type {string} */ why) {
      throw new Error(`flatten: ${code.slice(start, end).slice(0, 80)}: expected that ${why}`)
    },
    /** Removes an argument, a parameter or a field, with its comma. @param {Node[]} list @param {Node} one */
    removeFrom(list, one) {
      const at = list.indexOf(one)
      if (list[at + 1]) text.remove(one.start, list[at + 1].start)
      else text.remove(list[at - 1]?.end ?? one.start, one.end)
    },
  }
}
