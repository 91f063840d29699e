import { deflateRawSync } from 'node:zlib'
import { readModule } from './readModule.mjs'

/** @import { Node } from './readModule.mjs' */

/**
 * @typedef {{ up: Scope | undefined, isFunction: boolean, own: Variable[], passing: { name: string }[] }} Scope a block or
 *   function: what it declares, and the names that it and what lies in it take from further out
 * @typedef {{ name: string, scope: Scope, between: Set<Scope> }} Variable `between`: what lies between it and its uses
 * @typedef {{ start: number, end: number, variable: Variable, key: string | undefined }} Use `key`: of `{ key: variable }`
 */

/** Always the same, so that a source makes the same file. */
const seed = 1

/**
 * Gives variables the names under which the file compresses best, found by trying: mostly two variables of a scope swap
 * their names. What is tried is measured by Deflate: Brotli takes forty times as long, and what one gains the other does.
 * @returns {import('rollup').Plugin}
 */
export const searchNames = (tries = 12_000) => ({
  name: 'search-names',
  renderChunk(code) {
    const { text, program } = readModule(code)
    const { variables, uses } = readVariables(program)
    const written = (/** @type {Use} */ { key, variable }) =>
      key && key !== variable.name ? `${key}:${variable.name}` : variable.name
    const pieces = uses.map(({ start }, i) => code.slice(uses[i - 1]?.end ?? 0, start))
    const last = code.slice(uses.at(-1)?.end)
    const render = () => uses.map((use, i) => pieces[i] + written(use)).join('') + last
    const measure = () => deflateRawSync(render(), { level: 9, memLevel: 9 }).length

    const random = createRandom(seed)
    const pick = (/** @type {any[]} */ list) => list[Math.floor(random() * list.length)]
    let best = measure()
    for (let i = 0; i < tries; i++) {
      const one = pick(variables)
      // A sixth of them takes any name of the file, from nobody.
      const other = i % 6 ? pick(one.scope.own) : { name: pick(uses).variable.name }
      const swap = () => ([one.name, other.name] = [other.name, one.name])
      swap()
      const size = isFree(one) && (!other.scope || isFree(other)) ? measure() : Infinity
      if (size <= best) best = size
      else swap()
    }

    // Read anew, every use must be one of the same variable.
    const again = readVariables(readModule(render()).program)
    const firsts = (/** @type {Use[]} */ list) =>
      String(list.map(({ variable }) => list.findIndex((use) => use.variable === variable)))
    if (firsts(uses) !== firsts(again.uses)) throw new Error('search-names: a variable hides another one')

    for (const use of uses) text.overwrite(use.start, use.end, written(use))
    return { code: text.toString(), map: text.generateMap({ hires: true }) }
  },
})

/** Numbers from 0 to 1 (xorshift). @param {number} state */
const createRandom = (state) => () => {
  state ^= state << 13
  state ^= state >>> 17
  state ^= state << 5
  return (state >>> 0) / 2 ** 32
}

/** Whether a variable may have the name that it has: it hides nothing that is used below it, and nothing hides it. */
const isFree = (/** @type {Variable} */ variable) => {
  const { name, scope, between } = variable
  const isSame = (/** @type {{ name: string }} */ other) => other.name === name && other !== variable
  return ![scope.own, scope.passing, ...[...between].map(({ own }) => own)].some((list) => list.some(isSame))
}

const isFunction = (/** @type {Node} */ node) => /Function/.test(node.type)

/** Finds the variables of a file, and where each is used. @param {Node} program */
function readVariables(program) {
  /** @type {Variable[]} */
  const variables = []
  /** @type {Use[]} */
  const uses = []
  /** @type {Map<Node, Scope>} */
  const scopes = new Map()
  /** @type {Map<string, { name: string }>} */
  const globals = new Map()

  const declare = (/** @type {Node} */ pattern, /** @type {Scope} */ scope) => {
    if (pattern.type === 'Identifier') {
      const { name } = pattern
      if (scope.own.some((other) => other.name === name)) return
      const variable = { name, scope, between: new Set() }
      scope.own.push(variable)
      variables.push(variable)
    } else {
      // A pattern, of one of these kinds, with what is left out of a list.
      const parts = pattern.properties ?? pattern.elements ?? [pattern.left ?? pattern.argument ?? pattern.value]
      for (const part of parts) if (part) declare(part, scope)
    }
  }

  const visit = (/** @type {Node} */ node, /** @type {Scope} */ outer, /** @type {Node} */ parent) => {
    let scope = outer
    // The body of a function or of a `catch` shares the scope of its parameters: no name stands in both.
    const isBody = node.type === 'BlockStatement' && parent && (isFunction(parent) || parent.type === 'CatchClause')
    if (!isBody && /Function|^For|^Catch|Block|Switch|^Program/.test(node.type)) {
      scope = { up: outer, isFunction: isFunction(node) || !outer, own: [], passing: [] }
      scopes.set(node, scope)
    }
    let ofFunction = outer
    while (ofFunction && !ofFunction.isFunction) ofFunction = ofFunction.up
    if (node.type === 'FunctionDeclaration') declare(node.id, ofFunction)
    else if (node.type === 'ClassDeclaration') declare(node.id, scope)
    else if (isFunction(node) && node.id) declare(node.id, scope)
    if (isFunction(node)) for (const param of node.params) declare(param, scope)
    else if (node.type === 'CatchClause' && node.param) declare(node.param, scope)
    for (const { id } of node.declarations ?? []) declare(id, node.kind === 'var' ? ofFunction : scope)
    for (const child of childrenOf(node)) visit(child, scope, node)
  }

  const use = (/** @type {Node} */ { name, start, end }, /** @type {Scope} */ from, /** @type {Node=} */ key) => {
    const passed = new Set()
    let scope = from
    let variable
    while (scope && !(variable = scope.own.find((own) => own.name === name))) {
      passed.add(scope)
      scope = scope.up
    }
    if (variable) {
      uses.push({ start: key?.start ?? start, end, variable, key: key?.name })
      for (const one of passed) variable.between.add(one)
    } else if (!globals.has(name)) globals.set(name, { name })
    for (const { passing } of passed)
      if (!passing.some((other) => other.name === name)) passing.push(variable ?? globals.get(name))
  }

  const read = (/** @type {Node} */ node, /** @type {Scope} */ outer) => {
    const scope = scopes.get(node) ?? outer
    if (node.label) throw new Error('search-names: it knows no labels')
    if (node.type === 'Identifier') use(node, outer)
    else if (node.type === 'Property' && !node.computed && !node.method && node.kind === 'init') {
      const inner = node.value.type === 'AssignmentPattern' ? node.value.left : node.value
      if (inner.type === 'Identifier' && node.key.type === 'Identifier') {
        use(inner, scope, node.key)
        if (inner !== node.value) read(node.value.right, scope)
      } else read(node.value, scope)
    } else
      for (const child of childrenOf(node)) {
        // The name of a property is none of a variable.
        const isName = (child === node.property || child === node.key) && !node.computed
        if (!isName) read(child, child === node.id && node.type !== 'FunctionExpression' ? outer : scope)
      }
  }

  visit(program, /** @type {never} */ (undefined), undefined)
  read(program, /** @type {Scope} */ (scopes.get(program)))
  return { variables, uses: uses.toSorted((a, b) => a.start - b.start) }
}

/** The nodes right below one. @param {Node} node @returns {Node[]} */
const childrenOf = (node) =>
  Object.values(node)
    .flat()
    .filter((child) => child && typeof child.type === 'string' && typeof child.start === 'number')
