import { ancestor } from 'acorn-walk'
import { readModule } from './readModule.mjs'

/** @import { Module, Node } from './readModule.mjs' */

/** The objects whose fields become variables, by the name that the source always gives them, and who makes each. */
const makers = { w: 'createInstance', browser: 'createBrowser' }

/** The function whose every call makes an instance. */
const factory = 'createWaymarkIn'

/** The function that binds others to an instance: afterwards there is nothing to bind. */
const binder = 'bindAll'

/**
 * Makes variables of the fields of an instance (`w`) and of the door to the platform (`browser`): `f(w, a)` becomes
 * `f(a)`, and `w.field` becomes `w$field`. What only instances use moves into `createWaymarkIn`, so that an instance is
 * one closure. The reason is size: minifiers shorten variables, and keep the names of fields.
 *
 * The source keeps to what can be rewritten so, and the build stops where it does not: each object has one name, is made
 * by one function, and is handed on, or its fields are used as `w.field` or `const { field } = w`.
 * @param {string[]} objects those to flatten; a file that makes a door of its own keeps that one
 * @returns {import('rollup').Plugin}
 */
export const flatten = (objects) => ({
  name: 'flatten',
  renderChunk(code) {
    if (!code.includes(`const ${factory} = `)) return null
    const module = readModule(code)
    const { text, statements, valueOf } = module
    const readBy = new Map(statements.map((statement) => [statement, rewriteUses(module, statement, objects)]))
    const inside = valueOf(factory).body.body
    moveInside(module, readBy, inside[0].start)

    const set = new Set()
    const makeDoor = statements.find(({ declares }) => declares.includes(makers.browser))
    if (objects.includes('browser')) setVariables(module, 'browser', /** @type {Node} */ (makeDoor), objects, set)
    const makeInstance = inside.find((/** @type {Node} */ one) => one.declarations?.[0].init?.callee?.name === makers.w)
    setVariables(module, 'w', makeInstance, objects, set)
    // Fields that nothing sets when the instance is made.
    const unset = [...new Set([...readBy.values()].flatMap((read) => [...read]))].filter(
      (name) => name.startsWith('w$') && !set.has(name),
    )
    text.prependLeft(inside[0].start, `let ${unset.join(', ')};\n`)
    return { code: text.toString(), map: text.generateMap({ hires: true }) }
  },
})

/**
 * Rewrites every use of an object in one statement of the module. Returns what it reads: variables of
 * objects, and names of the module.
 * @param {Module} module
 * @param {Node} statement
 * @param {string[]} objects
 */
function rewriteUses({ text, valueOf, isOfModule, fail, removeFrom }, statement, objects) {
  /** @type {Set<string>} */
  const read = new Set()
  const variable = (/** @type {string} */ object, /** @type {string} */ field) => {
    read.add(object).add(`${object}$${field}`)
    return `${object}$${field}`
  }
  /** The object that a node is, by its name or as a field of another. @param {Node} node @returns {string | undefined} */
  const objectOf = (node) => {
    const name = node.type === 'MemberExpression' && objectOf(node.object) ? node.property.name : node.name
    return objects.includes(name) ? name : undefined
  }
  const use = (/** @type {Node} */ node, /** @type {Node[]} */ ancestors) => {
    const object = objectOf(node)
    const [parent, above] = /** @type {Node[]} */ ([ancestors.at(-2), ancestors.at(-3)])
    if (!object || ancestors.some(({ callee }) => callee?.name === binder)) return
    if (parent.object === node && !parent.computed) {
      // `w.browser` is itself an object.
      if (!objectOf(parent)) text.overwrite(parent.start, parent.end, variable(object, parent.property.name))
    } else if (parent.arguments?.includes(node)) {
      read.add(object)
      const called = valueOf(parent.callee.name)
      if (called && !called.params?.some((/** @type {Node} */ { name }) => name === object))
        fail(parent, `its parameter is named ${object}`)
      removeFrom(parent.arguments, node)
    } else if (parent.init === node && parent.id.properties && !above.declarations[1]) {
      const copies = parent.id.properties.map(
        (/** @type {Node} */ { key, value }) => `${value.name} = ${variable(object, key.name)}`,
      )
      text.overwrite(above.start, above.end, `${above.kind} ${copies.join(', ')};`)
    } else if (!parent.shorthand) fail(parent, `${object} is handed on, or its fields are used`)
  }
  ancestor(statement, {
    MemberExpression: (node, _, ancestors) => use(node, ancestors),
    Identifier(node, _, ancestors) {
      if (isOfModule(node.name, ancestors)) read.add(node.name)
      use(node, ancestors)
    },
    VariablePattern(/** @type {Node} */ node, _, ancestors) {
      const { params } = /** @type {Node} */ (ancestors.at(-2))
      if (params && objectOf(node)) removeFrom(params, node)
    },
    CallExpression(/** @type {Node} */ { callee, start, end, arguments: given }, _, ancestors) {
      const [parent, above] = /** @type {Node[]} */ ([ancestors.at(-2), ancestors.at(-3)])
      if (callee.name === makers.browser && objects.includes('browser')) read.delete(callee.name)
      if (callee.name === binder) text.remove(start, given[1].start).remove(given[1].end, end)
      else if (callee.name !== makers.browser || !objects.includes('browser')) return
      else if (parent.arguments) removeFrom(parent.arguments, /** @type {Node} */ (ancestors.at(-1)))
      else text.remove(above.start, above.end)
    },
  })
  for (const { local } of statement.specifiers ?? []) read.add(local.name)
  return read
}

/**
 * Moves to where the instance is all that nothing outside uses. The reason is size, too: how a minifier names the
 * variables of a function depends on how deep the function lies.
 * @param {Module} module
 * @param {Map<Node, Set<string>>} readBy
 * @param {number} to
 */
function moveInside({ text, statements, fail }, readBy, to) {
  const site = statements.find(({ declares }) => declares.includes(factory))
  const staying = statements.filter((statement) => !statement.declares[0] || readBy.get(statement)?.has(factory))
  // The list grows while it is read.
  for (const statement of staying) {
    const reads = readBy.get(statement) ?? new Set()
    if (reads.has('w')) fail(statement, 'what uses an instance is a function of its own, and not exported')
    const read = statements.filter((other) => namesOf(other).some((name) => reads.has(name)))
    staying.push(...read.filter((other) => other !== site && !staying.includes(other)))
  }
  for (const statement of statements) {
    const { declares, start, end } = statement
    if (statement === site || staying.includes(statement) || declares.includes(makers.w)) continue
    text.appendLeft(end, '\n').move(start, end, to)
  }
}

/** What others read of a statement: the variables of the door count as one. @param {Node} statement @returns {string[]} */
const namesOf = ({ declares }) => (declares.includes(makers.browser) ? [...declares, 'browser'] : declares)

/**
 * Sets the variables of an object in the place of the statement that makes it.
 * @param {Module} module
 * @param {'w' | 'browser'} object
 * @param {Node} site
 * @param {string[]} objects
 * @param {Set<string>} set the names of all variables that are set
 */
function setVariables({ code, text, statements, valueOf, fail, removeFrom }, object, site, objects, set) {
  const { body } = valueOf(makers[object]).body
  const last = body.at(-1)
  const fields = last.argument.properties
  for (const { declarations } of body)
    for (const { id } of declarations ?? []) if (valueOf(id.name)) fail(id, 'it has a name of its own')
  for (const field of fields) {
    const { start, key, value, shorthand, method } = field
    const name = `${object}$${key.name}`
    set.add(name)
    if (objects.includes(key.name)) removeFrom(fields, field)
    else if (shorthand) text.prependRight(start, `${name} = `)
    else if (method)
      text
        .overwrite(start, value.start, `${name} = ${value.async ? 'async ' : ''}`)
        .appendLeft(value.body.start, '=> ')
    else text.overwrite(start, code.indexOf(':', key.end) + 1, `${name} =`)
  }
  text.overwrite(last.start, fields[0].start, 'let ')
  text.overwrite(fields.at(-1).end, last.end, ';\n')
  const maker = /** @type {Node} */ (statements.find(({ declares }) => declares.includes(makers[object])))
  text.remove(maker.start, body[0].start)
  text.remove(last.end, maker.end)
  if (site !== maker) text.remove(site.start, site.end).move(body[0].start, last.end, site.start)
}
