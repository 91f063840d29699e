import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { answers } from '../../src/answers/answers.js'
import { scope } from '../../src/answers/Parameter.js'

const page = readFileSync(new URL('../../../docs/answers.md', import.meta.url), 'utf8')

it('docs/answers.md has each answer with its parameters', () => {
  const rows = answers.map(({ name, about, parameters, isForGuests }) => {
    const own = Object.entries(parameters)
      .filter(([each]) => !Object.hasOwn(scope, each) || name === 'person')
      .map(([each, { schema }]) => {
        const values = schema['enum'] as readonly unknown[] | undefined
        const told = (values ?? []).filter((value) => value !== null)
        return told.length > 0 && told.length <= 5 ? `\`${each}\` (${told.join(', ')})` : `\`${each}\``
      })
    return `| \`${name}\`${isForGuests ? ' ✓' : ''} | ${about} | ${own.join(', ')} |`
  })
  const table = ['| name | | parameters of its own |', '|---|---|---|', ...rows].join('\n')
  expect(page).toContain(table)
})
