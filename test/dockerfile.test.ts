import { existsSync, readFileSync } from 'node:fs'
import { validate } from 'dockerfile-utils'
import { expect, it } from 'vitest'

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')

it('the Dockerfile has no fault that a linter finds', () => {
  expect(validate(read('Dockerfile')).map(({ message }) => message)).toEqual([])
})

it('the Dockerfile starts the program that the service’s package has, as a user who may write its folder', () => {
  const { bin } = JSON.parse(read('server/package.json')) as { bin: Record<string, string> }
  const dockerfile = read('Dockerfile')
  const [, program] = /^ENTRYPOINT \["node_modules\/\.bin\/(.+)"\]$/m.exec(dockerfile)!
  expect(existsSync(new URL(`../server/${bin[program!]}`, import.meta.url))).toBe(true)
  expect(dockerfile).toMatch(/chown node:node \/data[^]*WAYMARK_DATA=\/data[^]*USER node[^]*VOLUME \/data/)
})
