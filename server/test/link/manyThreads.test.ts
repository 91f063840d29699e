import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { spawnService, urlIn } from '../fixtures/spawnService.js'

// The engine makes four threads for each processor. What the system counts for them is not what `--engine-memory` means.
it.runIf(process.platform === 'linux')('an engine with little memory answers on 16 processors', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-threads-'))
  const service = spawnService(
    [
      ...['--port', '0', '--data', join(folder, 'data'), '--users', 'ada:lovelace', '--quiet'],
      ...['--memory-limit', '256MB', '--engine-memory', '700MB'],
    ],
    { env: { UV_THREADPOOL_SIZE: '66' } },
  )
  try {
    const url = urlIn(await service.ready)
    const ask = async (statement: string) => {
      const response = await fetch(`${url}/query`, {
        method: 'POST',
        headers: { authorization: `Basic ${Buffer.from('ada:lovelace').toString('base64')}` },
        body: JSON.stringify({ statement, format: 'csv' }),
      })
      return response.text()
    }
    // At once, so that many of the threads have worked.
    const asked = Array.from({ length: 60 }, () =>
      ask("SELECT sum(length(x)) AS sum FROM (SELECT repeat('x', 1000) AS x FROM range(10000))"),
    )
    expect(new Set(await Promise.all(asked))).toEqual(new Set(['sum\n10000000\n']))
  } finally {
    service.kill('SIGTERM')
    await service.ended
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  }
})
