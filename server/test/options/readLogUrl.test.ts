import { describe, expect, it } from 'vitest'
import { readLogUrl } from '../../src/options/values.js'

describe('the URL of a log', () => {
  it.each([
    ['postgres://u:p@a/db', [{ name: 'a', url: 'postgres://u:p@a/db' }]],
    [
      'postgresql://u:p%40@a:1,[::1]:2,c/db?target_session_attrs=read-write&sslmode=verify-full',
      [
        { name: 'a:1', url: 'postgresql://u:p%40@a:1/db?sslmode=verify-full' },
        { name: '[::1]:2', url: 'postgresql://u:p%40@[::1]:2/db?sslmode=verify-full' },
        { name: 'c', url: 'postgresql://u:p%40@c/db?sslmode=verify-full' },
      ],
    ],
    ['postgres://a,b', ['a', 'b'].map((name) => ({ name, url: `postgres://${name}` }))],
    [
      'postgres:///db?host=/run/postgresql&user=u',
      [{ name: '/run/postgresql', url: 'postgres:///db?host=%2Frun%2Fpostgresql&user=u' }],
    ],
  ])('%s names its servers', (text, addresses) => {
    expect(readLogUrl(text)).toEqual(addresses)
  })

  it.each([
    ['mysql://a/db', /must be a URL such as postgres:/],
    ['a:5432', /must be a URL such as postgres:/],
    ['postgres://a,,b/db', /cannot be read/],
    ['postgres://u:secret/word@a/db', /cannot be read/],
    ['postgres://a:port/db', /cannot be read/],
    ['postgres://a/db?target_session_attrs=standby', /must be read-write, not standby/],
  ])('%s is refused, without its password', (text, problem) => {
    expect(readLogUrl(text)).toMatch(problem)
    expect(readLogUrl(text)).not.toContain('secret')
  })
})
