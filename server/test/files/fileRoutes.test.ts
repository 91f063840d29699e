import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request as ask, type IncomingHttpHeaders } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createService, type Service } from '../fixtures/createService.js'

const script = `console.log(${JSON.stringify('waymark '.repeat(200))})`
const hash = createHash('sha256').update(script).digest('hex').slice(0, 16)

let folder: string
let service: Service
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-files-'))
  writeFileSync(join(folder, 'waymark.iife.js'), script)
  writeFileSync(join(folder, 'waymark.do-not-track.js'), 'track()')
  writeFileSync(join(folder, 'waymark.iife.js.map'), '{}')
  writeFileSync(join(folder, 'secret.js'), 'never')
  service = await createService({ filesFolder: folder, basePath: '/w' })
})
afterAll(async () => {
  await service.close()
  rmSync(folder, { recursive: true })
})

/** `fetch` takes compression off and says nothing of it. */
const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  new Promise<{ status: number; headers: IncomingHttpHeaders; bytes: Buffer }>((resolve, reject) => {
    ask(service.url + path, { method, headers }, async (answer) => {
      const chunks: Buffer[] = []
      for await (const chunk of answer) chunks.push(chunk as Buffer)
      resolve({ status: answer.statusCode!, headers: answer.headers, bytes: Buffer.concat(chunks) })
    })
      .on('error', reject)
      .end()
  })

describe('the files of the library', () => {
  it('are scripts that pages of every origin may load, with integrity and in isolation', async () => {
    const { status, headers, bytes } = await get('/waymark.iife.js', { origin: 'https://shop.example' })
    expect([status, bytes.toString()]).toEqual([200, script])
    expect(headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
      vary: 'Accept-Encoding',
    })
    expect(headers['access-control-allow-credentials']).toBeUndefined()
    const foreign = await get('/waymark.do-not-track.js', { 'sec-fetch-site': 'cross-site' })
    expect(foreign.bytes.toString()).toBe('track()')
  })

  it('come in the smallest form that the browser takes', async () => {
    const smallest = await get('/waymark.iife.js', { 'accept-encoding': 'gzip, deflate, br' })
    expect(smallest.headers['content-encoding']).toBe('br')
    expect(brotliDecompressSync(smallest.bytes).toString()).toBe(script)
    expect(smallest.bytes.length).toBeLessThan(script.length / 4)
    const gzipped = await get('/waymark.iife.js', { 'accept-encoding': 'gzip, br;q=0' })
    expect(gunzipSync(gzipped.bytes).toString()).toBe(script)
    expect((await get('/waymark.iife.js')).headers['content-encoding']).toBeUndefined()
  })

  it('never change where their address holds their hash, and are looked for anew elsewhere', async () => {
    for (const path of [`/waymark.iife.js?v=${hash}`, `/waymark.iife.${hash}.js`]) {
      const { headers, bytes } = await get(path)
      expect(headers['cache-control']).toBe('public, max-age=31536000, immutable')
      expect(bytes.toString()).toBe(script)
    }
    expect((await get('/waymark.iife.js')).headers['cache-control']).toBe('public, max-age=3600')
    // While a new version is rolled out, an old service must not put its file under the new address for a year.
    for (const path of ['/waymark.iife.js?v=0123456789abcdef', '/waymark.iife.0123456789abcdef.js'])
      expect((await get(path)).headers['cache-control']).toBe('no-cache')
  })

  it('are not sent again to who has them, and answer HEAD without a body', async () => {
    const { headers } = await get('/waymark.iife.js', { 'accept-encoding': 'br' })
    const again = await get('/waymark.iife.js', { 'accept-encoding': 'br', 'if-none-match': headers.etag! })
    expect([again.status, again.bytes.length, again.headers.etag]).toEqual([304, 0, headers.etag])
    const head = await get('/waymark.iife.js', {}, 'HEAD')
    expect([head.status, head.bytes.length, head.headers['content-length']]).toEqual([
      200,
      0,
      String(script.length),
    ])
  })

  it('have source maps, and nothing else of the folder is there', async () => {
    expect((await get('/waymark.iife.js.map')).headers['content-type']).toBe('application/json')
    for (const path of ['/secret.js', '/waymark.secret.js', '/waymark.iife', '/waymark...%2fsecret.js'])
      expect((await get(path)).status).toBe(404)
  })
})

describe('a base path', () => {
  it('may be left on by a proxy, or taken off', async () => {
    for (const base of ['/w', '']) {
      expect((await get(`${base}/waymark.iife.js?v=${hash}`)).bytes.toString()).toBe(script)
      const { status, body } = await service.ingest(`${base}/track`, [])
      expect([status, body['ok']]).toEqual([200, true])
      // The engine answers `/query`, and the ingest process `/track`.
      const asked = await service.ask(`${base}/query`, { statement: 'SELECT' })
      expect([asked.status, asked.body['error']]).toEqual([400, 'invalid-statement'])
    }
  })

  it('is a whole part of the path', async () => {
    expect((await get('/ww/waymark.iife.js')).status).toBe(404)
    expect((await get('/w-')).status).toBe(404)
  })
})
