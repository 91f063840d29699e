import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createService, type Service } from '../fixtures/createService.js'

const html = '<!doctype html><html data-app="./"><script src="./assets/main-0a1b2c.js"></script></html>'
const script = `console.log(${JSON.stringify('screens '.repeat(100))})`

let folder: string
let service: Service
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-screens-'))
  mkdirSync(join(folder, 'assets'))
  writeFileSync(join(folder, 'index.html'), html)
  writeFileSync(join(folder, 'assets/main-0a1b2c.js'), script)
  writeFileSync(join(folder, 'icon.svg'), '<svg/>')
  writeFileSync(join(folder, 'secret.env'), 'never')
  service = await createService({ screensFolder: folder, basePath: '/w' })
})
afterAll(async () => {
  await service.close()
  rmSync(folder, { recursive: true })
})

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(service.url + path, { method, headers, redirect: 'manual' })

describe('the screens', () => {
  it.each([
    ['/', 'app/'],
    ['/app', 'app/'],
    ['/w', '/w/app/'],
    ['/w/', '/w/app/'],
    ['/w/app', '/w/app/'],
  ])('are where %s leads', async (path, to) => {
    const { status, headers } = await get(path)
    expect([status, headers.get('location')]).toEqual([302, to])
  })

  it.each(['/app/', '/app/funnel?steps=a&steps=b', '/w/app/funnel', '/app/index.html', '/app/persons%20of'])(
    'are one page at %s, also from a link of another site',
    async (path) => {
      const answer = await get(path, { 'sec-fetch-site': 'cross-site' })
      expect(answer.status).toBe(200)
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(await answer.text()).toBe(html)
    },
  )

  it('load their files from where these are, however deep their own address is', async () => {
    const answer = await get('/app/persons/ada@example.com/events')
    expect(await answer.text()).toBe(html.replaceAll('"./', '"../../'))
    expect(new URL('../../assets/main-0a1b2c.js', answer.url).pathname).toBe('/app/assets/main-0a1b2c.js')
  })

  it('may run and load what is their own, and be shown in no frame', async () => {
    const { headers } = await get('/app/')
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; font-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'",
    )
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('referrer-policy')).toBe('same-origin')
    expect(headers.get('access-control-allow-origin')).toBeNull()
  })

  it('are asked for anew each time, and sent only when they have changed', async () => {
    for (const path of ['/app/', '/app/persons/ada']) {
      const { headers } = await get(path)
      expect(headers.get('cache-control')).toBe('no-cache')
      const again = await get(path, { 'if-none-match': headers.get('etag')! })
      expect([again.status, await again.text()]).toEqual([304, ''])
    }
  })
})

describe('the files of the screens', () => {
  it('never change at their address, and come in the smallest form', async () => {
    const answer = await get('/app/assets/main-0a1b2c.js', { 'accept-encoding': 'br, gzip' })
    expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(answer.headers.get('content-encoding')).toBe('br')
    expect(Number(answer.headers.get('content-length'))).toBeLessThan(script.length / 4)
    expect(await answer.text()).toBe(script)
    const gzipped = await get('/w/app/assets/main-0a1b2c.js', { 'accept-encoding': 'gzip' })
    expect(gzipped.headers.get('content-encoding')).toBe('gzip')
    const head = await get('/app/assets/main-0a1b2c.js', { 'accept-encoding': 'identity' }, 'HEAD')
    expect([head.headers.get('content-length'), await head.text()]).toEqual([String(script.length), ''])
  })

  it('beside the assets are looked for anew', async () => {
    const { headers } = await get('/app/icon.svg')
    expect([headers.get('content-type'), headers.get('cache-control')]).toEqual(['image/svg+xml', 'no-cache'])
  })

  it('are no page where there is none of that name, and none outside of the folder or of another kind', async () => {
    expect((await get('/app/assets/main-older.js')).status).toBe(404)
    for (const path of ['/app/secret.env', '/app/..%2f..%2fpackage.json', '/app/assets%2f..%2fsecret.env'])
      expect(await (await get(path)).text()).toContain('<!doctype html>')
  })
})

it('says how to build the screens where they are not, and where they lie once they are', async () => {
  const empty = mkdtempSync(join(tmpdir(), 'waymark-screens-'))
  const without = await createService({ screensFolder: empty })
  try {
    const missing = await fetch(without.url)
    expect([missing.url, missing.status]).toEqual([`${without.url}/app/`, 404])
    expect(await missing.text()).toContain('npm run build')
    writeFileSync(join(empty, 'index.html'), html)
    expect(await (await fetch(without.url)).text()).toBe(html)
  } finally {
    await without.close()
    rmSync(empty, { recursive: true })
  }
})
