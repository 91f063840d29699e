import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { flags } from '../../src/options/flags.js'
import { codeTable, flagsTable, helpText } from '../../src/options/commandLine.js'

const page = readFileSync(new URL('../../../docs/flags.md', import.meta.url), 'utf8')

/** The table of the page that begins like this one. */
const tableLike = (table: string) => {
  const at = page.indexOf(table.slice(0, table.indexOf('\n')))
  return page.slice(at, (page + '\n').indexOf('\n\n', at)).split('\n')
}

describe('flags', () => {
  it.each([flagsTable(), codeTable()])('the docs have each table as it is: %.20s', (table) => {
    expect(tableLike(table)).toEqual(table.split('\n'))
  })

  it('--help has a line for each flag that fits on a screen', () => {
    for (const { name } of flags) expect(helpText).toMatch(new RegExp(`^  --${name}\\b`, 'm'))
    const long = helpText.split('\n').filter((line) => line.length > 108)
    expect(long).toEqual([])
  })
})
