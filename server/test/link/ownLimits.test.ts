import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { engineOf } from '../fixtures/engineOf.js'
import { type Spawned, spawnService } from '../fixtures/spawnService.js'

let folder: string
let service: Spawned
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-limits-'))
  service = spawnService(['--port', '0', '--data', folder, '--quiet'], { direct: true })
  await service.ready
})
afterEach(async () => {
  service.kill('SIGTERM')
  await service.ended
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
})

const loadsDuckdb = (pid: number) => readFileSync(`/proc/${pid}/maps`, 'utf8').includes('duckdb')

describe.runIf(process.platform === 'linux')('the two processes', () => {
  // The engine sets how DuckDB's allocator works before DuckDB is loaded, in the file that both begin with.
  it('load DuckDB in the engine alone', () => {
    const engine = engineOf(service.pid)!
    expect([loadsDuckdb(service.pid), loadsDuckdb(engine)]).toEqual([false, true])
  })
})
