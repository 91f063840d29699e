import { existsSync, readFileSync } from 'node:fs'
import { runInNewContext } from 'node:vm'
import { validate } from 'dockerfile-utils'
import { describe, expect, it } from 'vitest'
import { variableOf } from '../server/src/options/commandLine'
import { flags } from '../server/src/options/flags'

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')

const dockerfile = read('Dockerfile')
const compose = read('compose.yaml')
const usualPort = flags.find(({ name }) => name === 'port')!.usual as string
const variables = flags.map((flag) => variableOf(flag))

describe('the Dockerfile', () => {
  it('has no fault that a linter finds', () => {
    expect(validate(dockerfile).map(({ message }) => message)).toEqual([])
  })

  it('starts the program that the service’s package has, as a user who may write its folder', () => {
    const { bin } = JSON.parse(read('server/package.json')) as { bin: Record<string, string> }
    const [, program] = /^ENTRYPOINT \["node_modules\/\.bin\/(.+)"\]$/m.exec(dockerfile)!
    expect(existsSync(new URL(`../server/${bin[program!]}`, import.meta.url))).toBe(true)
    expect(dockerfile).toMatch(/chown node:node \/data[^]*WAYMARK_DATA=\/data[^]*USER node[^]*VOLUME \/data/)
  })

  it('builds and runs with one version of Node, with long-term support and new enough for the package', () => {
    const versions = [...dockerfile.matchAll(/^FROM node:(\d+)-/gm)].map(([, version]) => Number(version))
    expect(new Set(versions).size).toBe(1)
    // Even versions have it for three years: https://github.com/nodejs/release#release-schedule
    expect([22, 24]).toContain(versions[0])
    const { engines } = JSON.parse(read('server/package.json')) as { engines: { node: string } }
    expect(versions[0]).toBeGreaterThanOrEqual(Number(/\d+/.exec(engines.node)![0]))
  })

  it('installs by the lockfile alone', () => {
    const installs = [...dockerfile.matchAll(/\bnpm (ci|i|install|add|update)\b/g)].map(
      ([, command]) => command,
    )
    expect(installs).toEqual(['ci', 'ci'])
  })

  it('sets only variables that the service reads, and the port that it opens', () => {
    const set = [...dockerfile.matchAll(/(WAYMARK_\w+)=/g)].map(([, name]) => name!)
    expect(set.filter((name) => !variables.includes(name))).toEqual([])
    expect(dockerfile).toContain(`WAYMARK_PORT=${usualPort}`)
    expect(dockerfile).toContain(`EXPOSE ${usualPort}`)
  })

  it.each([
    ['200', true, 0],
    ['503', false, 1],
    ['no answer', undefined, 1],
  ])('asks /healthz how the service is: %s', async (_, ok, code) => {
    const [, command] = /^HEALTHCHECK [^\n]*\\\n {2}CMD (.+)$/m.exec(dockerfile)!
    const [program, flag, script] = JSON.parse(command!) as string[]
    expect([program, flag]).toEqual(['node', '-e'])
    const asked: string[] = []
    const exit = await new Promise((resolve) => {
      runInNewContext(script!, {
        process: { env: { WAYMARK_PORT: '8788' }, exit: resolve },
        fetch: (url: string) => {
          asked.push(url)
          return ok === undefined ? Promise.reject(new Error('refused')) : Promise.resolve({ ok })
        },
      })
    })
    expect(asked).toEqual(['http://127.0.0.1:8788/healthz'])
    expect(exit).toBe(code)
  })
})

describe('compose.yaml', () => {
  it('gives the service flags and variables that there are', () => {
    const [, command = ''] = /^ {4}command: (.+)$/m.exec(compose)!
    const given = [...command.matchAll(/--([a-z-]+) (\S+)/g)].map(([, name, value]) => ({
      name: name!,
      value,
    }))
    expect(given.map(({ name }) => name)).toEqual(['max-connections-per-address', 'trust-proxy'])
    for (const { name } of given) expect(flags.map((flag) => flag.name)).toContain(name)
    // Behind the proxy all visitors come from one address.
    expect(given[0]!.value).toBe(flags.find(({ name }) => name === 'max-connections')!.usual)
    const set = [...compose.matchAll(/(WAYMARK_\w+): '\$\{(\w+)/g)].filter(
      ([, name]) => name !== 'WAYMARK_HOST_NAME',
    )
    expect(set.map(([, name]) => name)).toEqual(['WAYMARK_API_KEYS', 'WAYMARK_USERS'])
    for (const [, name, from] of set) {
      expect(variables).toContain(name)
      expect(from).toBe(name)
    }
  })

  it('opens the service to this machine alone, and keeps its data', () => {
    expect(compose).toContain(`ports: ['127.0.0.1:${usualPort}:${usualPort}']`)
    expect(compose).toContain("volumes: ['waymark-data:/data']")
  })

  it('starts Caddy with the recipe of docs/proxy.md', () => {
    expect(compose).toContain("'./Caddyfile:/etc/caddy/Caddyfile:ro'")
    const [, recipe] = /### Caddy\n\n```caddy\n([^]*?)```/.exec(read('docs/proxy.md'))!
    const here = recipe!.replace('127.0.0.1:', 'waymark:').replaceAll(/^(?=.)/gm, '    ')
    expect(read('Caddyfile')).toBe(`{$WAYMARK_HOST_NAME} {\n${here}}\n`)
  })
})
