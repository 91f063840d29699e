import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { simple } from 'acorn-walk'
import { getNativeImagePath } from 'google-closure-compiler/lib/utils.js'
import { readModule } from './readModule.mjs'

/** What the compiler takes for the names of a module: fields of the global object, which it leaves alone. */
const exported = 'waymark$exported$'
const dynamicImport = 'waymark$import'
/** A call that bundlers may leave out where nobody uses what it returns: the compiler drops the comment that says so. */
const pureCall = 'waymark$pure'

/**
 * Google's Closure Compiler in its simple mode, which changes no property: it puts what is used once where it is used and
 * makes one variable of several, which terser does not. It reads scripts, so imports and exports are taken out first, and
 * put back; each of the three steps has its source map, which rollup chains.
 * @returns {import('rollup').Plugin[]}
 */
export const closure = () => {
  /** What is taken out of a file, by its name. @type {Map<string, string[]>} */
  const imports = new Map()
  return [
    {
      name: 'closure-before',
      renderChunk(code, { fileName }) {
        const { text, program } = readModule(code)
        const taken = []
        for (const node of program.body) {
          if (node.type === 'ImportDeclaration') {
            taken.push(code.slice(node.start, node.end))
            text.remove(node.start, node.end)
          } else if (node.type === 'ExportNamedDeclaration')
            text.overwrite(
              node.start,
              node.end,
              node.specifiers
                .map(({ local, exported: name }) => `globalThis.${exported}${name.name} = ${local.name};`)
                .join('\n'),
            )
        }
        for (const { index } of code.matchAll(/\bimport\(/g)) text.overwrite(index, index + 6, dynamicImport)
        for (const { index, 0: found, 1: name } of code.matchAll(/\/\* @__PURE__ \*\/ (\w+)\(\)/g))
          text.overwrite(index, index + found.length, `${pureCall}(${name})`)
        imports.set(fileName, taken)
        return { code: text.toString(), map: text.generateMap({ hires: true }) }
      },
    },
    {
      name: 'closure',
      renderChunk(code, { fileName }) {
        const folder = mkdtempSync(join(tmpdir(), 'closure-'))
        const at = (/** @type {string} */ file) => join(folder, file)
        const names = imports.get(fileName).flatMap((one) => one.match(/[\w$]+(?= *[,}])/g))
        writeFileSync(at('in.js'), code)
        writeFileSync(at('externs.js'), [dynamicImport, pureCall, ...names].map((name) => `var ${name};\n`).join(''))
        try {
          execFileSync(getNativeImagePath(), [
            ...['--compilation_level', 'SIMPLE', '--assume_function_wrapper', 'true', '--emit_use_strict', 'false'],
            ...['--language_in', 'ECMASCRIPT_NEXT', '--language_out', 'ECMASCRIPT_NEXT', '--warning_level', 'QUIET'],
            ...['--externs', at('externs.js'), '--js', at('in.js'), '--js_output_file', at('out.js')],
            ...['--create_source_map', at('out.map')],
          ])
          return { code: readFileSync(at('out.js'), 'utf8'), map: JSON.parse(readFileSync(at('out.map'), 'utf8')) }
        } finally {
          rmSync(folder, { recursive: true })
        }
      },
    },
    {
      name: 'closure-after',
      renderChunk(code, { fileName }) {
        const { text, program } = readModule(code)
        const names = []
        for (const { index, 0: found } of code.matchAll(/globalThis\.waymark\$exported\$\w+/g)) {
          const name = found.slice(`globalThis.${exported}`.length)
          names.push(name)
          text.overwrite(index, index + found.length, `var ${exported}${name}`)
        }
        for (const { index, 0: found } of code.matchAll(/waymark\$import(?=\()/g))
          text.overwrite(index, index + found.length, 'import')
        simple(program, {
          // The compiler writes `??=` of a field as two uses of it.
          LogicalExpression({ start, operator, left, right }) {
            const field = code.slice(left.start, left.end)
            if (right.operator === '=' && field === code.slice(right.left.start, right.left.end))
              text.appendLeft(start, '(').overwrite(left.end, right.left.end, operator)
          },
          CallExpression({ callee, end }) {
            if (callee.name === pureCall) text.overwrite(callee.start, callee.end, '/* @__PURE__ */ ').appendLeft(end, '()')
          },
        })
        if (names[0]) text.append(`export { ${names.map((name) => `${exported}${name} as ${name}`).join(', ')} };\n`)
        text.prepend(imports.get(fileName).join('\n') + '\n')
        return { code: text.toString(), map: text.generateMap({ hires: true }) }
      },
    },
  ]
}
