import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, request as ask } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { createServer as createVite, type UserConfig } from 'vite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiKey, createService, type Service } from './fixtures/createService.js'
import { event } from './fixtures/events.js'
import { findPort } from './fixtures/findPort.js'

const docs = readFileSync(new URL('../../docs/proxy.md', import.meta.url), 'utf8')

/** The code below a heading of docs/proxy.md. */
const recipeOf = (heading: string) => {
  const found = new RegExp(`### ${heading}\\n\\n\`\`\`\\w+\\n([^]*?)\`\`\``).exec(docs)?.[1]
  if (found === undefined) throw new Error(`docs/proxy.md has no recipe for ${heading}`)
  return found
}

let folder: string
let service: Service
/** Stands before the service and notes what a proxy passes on. */
const seen: { url: string; headers: IncomingHttpHeaders }[] = []
const spy = createServer((request, response) => {
  seen.push({ url: request.url!, headers: request.headers })
  const { method, url, headers } = request
  const onward = ask(service.url + url, { method: method!, headers }, (answer) => {
    response.writeHead(answer.statusCode!, answer.headers)
    answer.pipe(response)
  })
  request.pipe(onward)
})
const portOf = (address: unknown) => (address as AddressInfo).port

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-proxy-'))
  writeFileSync(join(folder, 'waymark.iife.js'), 'waymark()')
  service = await createService({ basePath: '/w', filesFolder: folder })
  spy.listen(0, '127.0.0.1')
  await once(spy, 'listening')
})
afterAll(async () => {
  spy.closeAllConnections()
  spy.close()
  await service.close()
  rmSync(folder, { recursive: true })
})

const here = () => `127.0.0.1:${portOf(spy.address())}`

/** A visit: the script, an event, and what a page must not reach. */
const visit = async (send: (path: string, init?: RequestInit) => Promise<Response>) => {
  seen.length = 0
  const script = await send('/w/waymark.iife.js', { headers: { cookie: 'session=secret' } })
  const tracked = await send(`/w/track?apiKey=${apiKey}`, {
    method: 'POST',
    body: JSON.stringify([event('through')]),
    headers: { 'content-type': 'application/json', cookie: 'session=secret', origin: 'https://shop.example' },
  })
  const query = await send('/w/query', { method: 'POST', body: '{"statement":"SELECT 1"}' })
  expect([script.status, await script.text()]).toEqual([200, 'waymark()'])
  expect(await tracked.json()).toMatchObject({ ok: true })
  expect(query.ok).toBe(false)
  expect(seen.map(({ url }) => url)).toEqual(['/w/waymark.iife.js', `/w/track?apiKey=${apiKey}`])
  for (const { headers } of seen) expect(headers.cookie ?? '').toBe('')
  expect(seen[1]?.headers).toMatchObject({
    'content-type': 'application/json',
    origin: 'https://shop.example',
  })
}

/** Visits by a proxy that runs on its own until the visit ends. */
const visitBy = async (program: string, args: readonly string[], port: number) => {
  const running: ChildProcess = spawn(program, args, {
    cwd: folder,
    env: { ...process.env, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder },
  })
  let said = ''
  running.stderr?.on('data', (text) => (said += text))
  try {
    const base = `http://127.0.0.1:${port}`
    while (!(await fetch(base).catch(() => undefined))) {
      if (running.exitCode !== null) throw new Error(said)
      await delay(20)
    }
    await visit((path, init) => fetch(base + path, init))
    expect(seen[0]?.headers).toMatchObject({ 'x-forwarded-for': '127.0.0.1', 'x-forwarded-proto': 'http' })
  } finally {
    running.kill()
    if (running.exitCode === null) await once(running, 'exit')
  }
}

const find = (name: string) =>
  ['/usr/sbin', '/usr/bin', '/usr/local/bin', '/opt/homebrew/bin']
    .map((place) => join(place, name))
    .find(existsSync)
// .ci/run installs both.
const nginx = find('nginx')
const caddy = find('caddy')

describe('a recipe of docs/proxy.md', () => {
  it.runIf(nginx)('for nginx passes on what pages need, and nothing else', async () => {
    const port = await findPort()
    const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${folder}/${name};`,
    )
    writeFileSync(
      join(folder, 'nginx.conf'),
      `daemon off; pid ${folder}/pid; events {}
       http { access_log off; ${places.join(' ')} server { listen 127.0.0.1:${port};
       ${recipeOf('nginx').replace('127.0.0.1:8787', here())} } }`,
    )
    await visitBy(nginx!, ['-p', folder, '-e', 'stderr', '-c', 'nginx.conf'], port)
  })

  it.runIf(caddy)('for Caddy passes on what pages need, and nothing else', async () => {
    const port = await findPort()
    writeFileSync(
      join(folder, 'Caddyfile'),
      `{\n  admin off\n}\nhttp://127.0.0.1:${port} {\n${recipeOf('Caddy').replace('127.0.0.1:8787', here())}file_server\n}\n`,
    )
    await visitBy(caddy!, ['run', '--config', 'Caddyfile', '--adapter', 'caddyfile'], port)
  })

  it('for Vite passes on what pages need, and nothing else', async () => {
    const file = join(folder, 'vite.config.mjs')
    writeFileSync(file, recipeOf('Vite, while you develop').replace('127.0.0.1:8787', here()))
    const { default: config } = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as {
      default: UserConfig
    }
    const vite = await createVite({
      ...config,
      configFile: false,
      root: folder,
      appType: 'custom',
      logLevel: 'silent',
      server: { ...config.server, host: '127.0.0.1', port: 0, hmr: false, ws: false, watch: null },
    })
    try {
      await vite.listen()
      const base = `http://127.0.0.1:${portOf(vite.httpServer!.address())}`
      await visit((path, init) => fetch(base + path, init))
    } finally {
      await vite.close()
    }
  })

  it('for a worker at the edge passes on what pages need, and nothing else', async () => {
    const file = join(folder, 'edge.mjs')
    const recipe = recipeOf('A worker at the edge').replace('https://collect.example.com', `http://${here()}`)
    writeFileSync(file, recipe)
    const { default: worker } = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as {
      default: { fetch(request: Request): Promise<Response> }
    }
    await visit((path, init) => worker.fetch(new Request(`https://shop.example${path}`, init)))
    expect(seen[0]?.headers['x-forwarded-proto']).toBe('https')
  })
})
