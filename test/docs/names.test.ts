import { describe, expect, it } from 'vitest'
import { builtInProperties } from '../../server/src/payloads/payloads'
import { defaults } from '../../src/core/config'
import { read } from './pages'

describe('the pages to look things up name', () => {
  it.each([...builtInProperties].filter((name) => name.startsWith('$')))(
    'the built-in property %s',
    (name) => {
      expect(read('docs/api.md').split(/[\s`.,]+/)).toContain(name)
    },
  )

  it.each([...Object.keys(defaults), 'url.redact', 'beforeSend'])('the option %s', (name) => {
    expect(read('docs/library.md')).toMatch(new RegExp(`^\\| \`${name}[\`.]`, 'm'))
  })
})
