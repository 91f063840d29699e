import { totalmem } from 'node:os'
import type { ServerOptions } from './ServerOptions.js'

export type CompleteOptions = Required<ServerOptions>

export const completeOptions = (options: ServerOptions): CompleteOptions => ({
  host: '127.0.0.1',
  port: 8787,
  dataFolder: './waymark-data',
  apiKeys: [],
  environments: ['production'],
  users: {},
  catalogs: ['lakehouse'],
  memoryLimit: `${Math.min(4096, Math.floor(totalmem() / 2 ** 21))}MiB`,
  insertIdWindow: 1_000_000,
  maxBacklogRows: 2_000_000,
  maxBacklogBytes: 2 ** 30,
  syncWaitMs: 30_000,
  statementTimeoutMs: 600_000,
  maxQueries: Math.max(2, Number(process.env['UV_THREADPOOL_SIZE'] ?? 4) - 6),
  logLevel: 'info',
  writeLog: (line) => void process.stderr.write(line),
  ...options,
})
