import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { engineOf } from './fixtures/engineOf.js'
import { launcher, urlIn } from './fixtures/spawnService.js'
import { rows, track, useSpawned } from './fixtures/useSpawned.js'
import { eventually } from './fixtures/eventually.js'

const { current, launch, common, start } = useSpawned()

describe('waymark-server', () => {
  it('prints one line with its URL, has more threads than queries at once, and stops cleanly on SIGTERM', async () => {
    const service = start()
    expect(await service.ready).toMatch(/^waymark-server ready at http:\/\/127\.0\.0\.1:\d+$/)
    const ready = await eventually(() => {
      const line = service
        .log()
        .split('\n')
        .find((each) => each.includes('"The engine is ready."'))
      expect(line).toMatch(/}$/)
      return line!
    })
    // DuckDB and files share them.
    const { pool_threads: threads, queries_at_once: queries } = JSON.parse(ready) as Record<string, number>
    expect(threads).toBeGreaterThanOrEqual(16)
    expect(queries).toBeGreaterThan(2)
    expect(queries).toBeLessThan(threads ?? 0)
    service.kill('SIGTERM')
    const { code, stdout } = await service.ended
    expect(code).toBe(0)
    expect(stdout.trim().split('\n')).toHaveLength(1)
  })

  it('without users and keys makes them once, and its link logs in once', async () => {
    const flags = ['--port', '0', '--data', current.folder, '--quiet']
    const first = launch(flags)
    const url = urlIn(await first.ready)
    const post = (body: object) =>
      fetch(`${url}/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
        body: JSON.stringify(body),
      })
    const told = await eventually(() => {
      const lines = first.said().trimEnd().split('\n')
      expect(lines).toHaveLength(5)
      return lines.join('\n')
    })
    const [, token = ''] = /#login=(\S+)/.exec(told)!
    const [, user, password = ''] = /(\w+), password (\S+)/.exec(told)!
    const [, key] = /API key {2}(\S+)/.exec(told)!
    expect([(await post({ token })).status, (await post({ token })).status]).toEqual([200, 401])
    expect((await post({ user, password })).status).toBe(200)
    const event = { environment: 'production', event: 'First', properties: {} }
    const sent = await fetch(`${url}/track?apiKey=${key}`, { method: 'POST', body: JSON.stringify(event) })
    expect(sent.status).toBe(200)
    first.kill('SIGTERM')
    const { stderr } = await first.ended
    expect([stderr.includes(token), stderr.includes(password)]).toEqual([false, false])
    // The key goes on, and the password is told no more.
    const second = launch(flags)
    await second.ready
    second.kill('SIGTERM')
    const { stdout } = await second.ended
    expect(stdout).toContain(key)
    expect(stdout).not.toMatch(/, password |#login=/)
  })

  it('refuses a port in use in one sentence, and leaves no user behind whose password nobody has read', async () => {
    const other = start('--quiet')
    const { port } = new URL(urlIn(await other.ready))
    const mine = mkdtempSync(join(current.folder, 'mine-'))
    const { code, stderr } = await launch(['--port', port, '--data', mine, '--quiet']).ended
    expect(stderr.trim()).toBe(
      `Port ${port} on 127.0.0.1 cannot be taken: it is in use; choose another by --port.`,
    )
    expect([code, readdirSync(mine).filter((name) => /users|keys/.test(name))]).toEqual([1, []])
  })

  it('stops cleanly on SIGINT with a connection kept open', async () => {
    const service = start()
    const url = urlIn(await service.ready)
    await track(url, { environment: 'production', event: 'before', properties: {} })
    service.kill('SIGINT')
    expect((await service.ended).code).toBe(0)
  })

  it('reads its settings from the environment, and a flag wins', async () => {
    const service = launch(['--data', current.folder], {
      env: {
        WAYMARK_PORT: '0',
        WAYMARK_DATA: join(current.folder, 'never'),
        WAYMARK_API_KEYS: 'from-env',
        WAYMARK_ENVIRONMENTS: 'blue,green',
      },
    })
    const url = urlIn(await service.ready)
    const response = await fetch(`${url}/track?apiKey=from-env`, {
      method: 'POST',
      body: JSON.stringify({ environment: 'green', event: 'x', properties: {} }),
    })
    expect(await response.json()).toMatchObject({ ok: true })
  })

  it('prints its help', async () => {
    const { code, stdout } = await launch(['--help']).ended
    expect(code).toBe(0)
    expect(stdout).toContain('--api-keys')
  })

  it('prints its version, and tells it by /healthz and /metrics', async () => {
    const { code, stdout } = await launch(['--version']).ended
    const { version } = JSON.parse(readFileSync(join(dirname(launcher), '../package.json'), 'utf8')) as {
      version: string
    }
    expect([code, stdout]).toEqual([0, `waymark-server ${version}\n`])
    const url = urlIn(await start('--quiet', '--metrics-token', 'the-metrics-token').ready)
    expect(await (await fetch(`${url}/healthz`)).json()).toMatchObject({ version })
    const metrics = await fetch(`${url}/metrics`, { headers: { authorization: 'Bearer the-metrics-token' } })
    expect(await metrics.text()).toContain(`\nwaymark_build_info{version="${version}"} 1\n`)
  })

  it('goes on when nobody reads its log any more, and so does its engine', async () => {
    const service = launch(common(), { direct: true })
    const url = urlIn(await service.ready)
    service.deafen()
    for (let n = 0; n < 3; n++) {
      const authorization = `Basic ${Buffer.from(`ada:guess ${n}`).toString('base64')}`
      expect((await fetch(`${url}/query`, { method: 'POST', headers: { authorization } })).status).toBe(401)
    }
    // The ingest process logs its end, and the next one that it is ready.
    const first = engineOf(service.pid)!
    process.kill(first, 'SIGKILL')
    await eventually(async () => expect(await rows(url, 'SELECT 1')).toEqual([[1]]))
    const second = engineOf(service.pid)
    expect(second).not.toBe(first)
    expect((await track(url, { environment: 'production', event: 'on', properties: {} })).status).toBe(200)
    expect(await rows(url, 'SELECT 2')).toEqual([[2]])
    expect(engineOf(service.pid)).toBe(second)
    service.kill('SIGTERM')
    expect((await service.ended).code).toBe(0)
  })

  it('refuses a wrong flag in one sentence', async () => {
    const { code, stderr, stdout } = await launch(['--prot', '1']).ended
    expect(code).toBe(2)
    expect(stdout).toBe('')
    expect(stderr.trim()).toBe("Unknown option '--prot'. See --help.")
  })

  it('refuses a data folder in use in one sentence, and the first goes on', async () => {
    const first = start('--quiet')
    const url = urlIn(await first.ready)
    const { code, stderr } = await start('--quiet').ended
    expect(code).toBe(1)
    expect(stderr.trim()).toMatch(/^The data folder .* is in use by another waymark-server; .*\.$/)
    expect((await track(url, { environment: 'production', event: 'on', properties: {} })).status).toBe(200)
  })

  it.runIf(process.platform === 'linux').each([
    ['/proc/x', 'cannot be made'],
    ['/dev/null/x', 'below a file'],
    ['/etc/hostname', 'a file'],
  ])('refuses the data folder %s, which is or stands %s, in one sentence', async (data) => {
    const { code, stdout, stderr } = await launch(['--port', '0', '--data', data]).ended
    expect(code).toBe(1)
    expect(stdout).toBe('')
    expect(stderr.trim()).toMatch(/^The data folder .* cannot be used: .*\.$/)
    expect(stderr.trim().split('\n')).toHaveLength(1)
  })

  it.each(['analytics.duckdb', 'accept-log/logs.json', 'accept-log', 'temp', 'store.json'])(
    'refuses a new folder in which %s is a foreign file, in one sentence',
    async (name) => {
      mkdirSync(dirname(join(current.folder, name)), { recursive: true })
      writeFileSync(join(current.folder, name), 'not ours')
      const { code, stdout, stderr } = await launch([...common(), '--quiet']).ended
      expect(code).toBe(1)
      expect(stdout).toBe('')
      expect(stderr.trim()).toMatch(/^(The store is damaged:|The data folder) .*\.$/)
      expect(stderr.trim().split('\n')).toHaveLength(1)
    },
  )

  const canMount = spawnSync('unshare', ['-m', 'true']).status === 0

  it.runIf(canMount)('refuses to start on a full disk, in one sentence', () => {
    // A disk of four megabytes that only this process sees.
    const script = `mount -t tmpfs -o size=4m none '${current.folder}' && exec "$@"`
    const command = [process.execPath, launcher, '--port', '0', '--data', current.folder]
    const { status, stdout, stderr } = spawnSync('unshare', ['-m', 'sh', '-c', script, 'sh', ...command], {
      encoding: 'utf8',
    })
    expect({ status, stdout, stderr: stderr.trim() }).toEqual({
      status: 1,
      stdout: '',
      stderr: `The data folder ${current.folder} cannot be used: its disk is full.`,
    })
  })

  it('makes everything in its data folder for its owner alone, whatever the folder and the umask allow', async () => {
    chmodSync(current.folder, 0o755)
    const within = ['sh', '-c', 'umask 0; exec "$@"', 'sh']
    const service = launch([...common(), '--quiet'], { within, direct: true })
    const url = urlIn(await service.ready)
    await track(url, { environment: 'production', event: 'on', properties: {} })
    await rows(url, 'CREATE TABLE mine AS SELECT range FROM range(10)')
    const names = readdirSync(current.folder, { recursive: true }).map(String)
    expect(names).toEqual(
      expect.arrayContaining(['analytics.duckdb', 'analytics.duckdb.wal', 'store.json', 'temp']),
    )
    const open = names.filter((name) => (statSync(join(current.folder, name)).mode & 0o077) !== 0)
    expect(open).toEqual([])
  })

  it('logs neither keys nor passwords', async () => {
    const service = start('--log-level', 'debug')
    const url = urlIn(await service.ready)
    await track(url, { environment: 'production', event: 'x', properties: {} })
    await fetch(`${url}/track?apiKey=secret-key-wrong`, { method: 'POST', body: '{}' })
    await fetch(`${url}/query`, { method: 'POST', headers: { authorization: 'Basic c2VjcmV0LXdvcmQ=' } })
    service.kill('SIGTERM')
    const { stderr } = await service.ended
    expect(stderr).not.toMatch(/secret-|c2Vjcm/)
    for (const line of stderr.trim().split('\n')) expect(JSON.parse(line)).toHaveProperty('level')
  })
})

describe('kill -9', () => {
  it('of the launcher ends the service too, and the folder is free again', async () => {
    const first = start('--quiet')
    const url = urlIn(await first.ready)
    first.kill('SIGKILL')
    await first.ended
    expect(await start('--quiet').ready).toMatch(/ready at/)
    await expect(fetch(url)).rejects.toThrow('fetch failed')
  })
})
