import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
// @ts-expect-error plain JavaScript
import { addMissingPackages } from '../scripts/setup/addMissingPackages.mjs'

type Packages = Record<string, { version?: string; resolved?: string; integrity?: string; link?: true }>
const complete = addMissingPackages as (lockfile: { packages: object }) => string[]
const read = (path: string) =>
  JSON.parse(readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')) as { packages: Packages }

const lockfiles = ['package-lock.json', 'fixtures/package-lock.json', 'bench/peers/package-lock.json']

describe.each(lockfiles)('%s', (path) => {
  it('has an entry for every optional package of every platform: else run `npm run lockfile`', () => {
    expect(complete(read(path))).toEqual([])
  })

  it('has the hash of every package: else run `npm run lockfile`', () => {
    const without = Object.entries(read(path).packages).filter(
      ([place, { integrity, link }]) => place.includes('node_modules/') && !link && !integrity,
    )
    expect(without.map(([place]) => place)).toEqual([])
  })

  it('names no registry', () => {
    const named = Object.values(read(path).packages).filter(({ resolved, link }) => resolved && !link)
    expect(named).toEqual([])
  })
})

describe('a lockfile without some optional packages', () => {
  const platforms = (...names: string[]) => ({
    version: '1.0.0',
    dev: true,
    optionalDependencies: Object.fromEntries(names.map((name) => [name, '1.0.0'])),
  })

  it('gets their entries, with the platform that their names say', () => {
    const lockfile = {
      packages: {
        '': {},
        'node_modules/tool': platforms('@tool/linux-arm64', '@tool/linux-arm64-musl', 'tool-win32-x64-msvc'),
      },
    }
    expect(complete(lockfile)).toEqual([
      'node_modules/@tool/linux-arm64',
      'node_modules/@tool/linux-arm64-musl',
      'node_modules/tool-win32-x64-msvc',
    ])
    const usual = { version: '1.0.0', dev: true, optional: true }
    expect(lockfile.packages).toMatchObject({
      'node_modules/@tool/linux-arm64': { ...usual, os: ['linux'], cpu: ['arm64'], libc: ['glibc'] },
      'node_modules/@tool/linux-arm64-musl': { ...usual, os: ['linux'], cpu: ['arm64'], libc: ['musl'] },
      'node_modules/tool-win32-x64-msvc': { ...usual, os: ['win32'], cpu: ['x64'] },
    })
    expect(complete(lockfile)).toEqual([])
  })

  it('gets a second version of one beside the package that asks for it, or inside', () => {
    const other = { ...platforms('tool-darwin-arm64'), version: '2.0.0' }
    const lockfile = {
      packages: {
        'node_modules/tool': platforms('tool-darwin-arm64'),
        'node_modules/tool-darwin-arm64': { version: '2.0.0' },
        'node_modules/user/node_modules/tool': other,
      },
    }
    expect(complete(lockfile)).toEqual([
      'node_modules/tool/node_modules/tool-darwin-arm64',
      'node_modules/user/node_modules/tool-darwin-arm64',
    ])
  })

  it('is refused where a name says no platform, or its version is not exact', () => {
    expect(() => complete({ packages: { 'node_modules/tool': platforms('colors') } })).toThrow(/colors/)
    const loose = { optionalDependencies: { 'tool-win32-x64': '^1.0.0' } }
    expect(() => complete({ packages: { 'node_modules/tool': loose } })).toThrow(/takes \^1\.0\.0/)
  })
})
