import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { flags } from '../../src/options/flags.js'
import { flagsTable, helpText } from '../../src/options/helpText.js'
import { completeOptions } from '../../src/options/ServerOptions.js'
import type { Given } from '../../src/options/values.js'

const page = readFileSync(new URL('../../../docs/flags.md', import.meta.url), 'utf8')

describe('flags', () => {
  it.each(flags.filter(({ usual }) => usual !== undefined))(
    'the default that --$name tells is the one that is taken',
    (flag) => {
      const given: Given = { options: {}, role: 'both' }
      expect(flag.read(flag.usual!, given, flag.name)).toBeUndefined()
      expect(completeOptions({})).toMatchObject(given.options)
      expect(given.role).toBe('both')
    },
  )

  it('the docs have the table of flags as it is', () => {
    const at = page.indexOf('| flag | default |')
    expect(page.slice(at, page.indexOf('\n\n', at)).split('\n')).toEqual(flagsTable().split('\n'))
  })

  it('--help has a line for each flag that fits on a screen', () => {
    for (const { name } of flags) expect(helpText).toMatch(new RegExp(`^  --${name}\\b`, 'm'))
    const long = helpText.split('\n').filter((line) => line.length > 108)
    expect(long).toEqual([])
  })
})
