// npm run server -- [flags]: sets up, builds, and runs waymark-server with the flags given.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { ensureBuilt, ensureInstalled } from './setup.mjs'
import { checkStart } from './setup/checkStart.mjs'
import { root } from './setup/root.mjs'

try {
  // Flags that people try first.
  checkStart('server', ['port', 'host', 'data', 'api-keys', 'users'])
  await ensureInstalled()
  // With the library, whose files it serves.
  await ensureBuilt()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}

const service = spawn(
  process.execPath,
  [join(root, 'server/bin/waymark-server.mjs'), ...process.argv.slice(2)],
  {
    stdio: 'inherit',
  },
)
// At a terminal Ctrl-C reaches the service by itself; this covers a signal sent to this process alone.
const signals = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])
for (const signal of signals) process.on(signal, () => service.kill(signal))
// npm passes a signal on to the shell that it runs this in, and that ends without telling anybody.
const parent = process.ppid
if (process.env['npm_lifecycle_event'])
  setInterval(() => process.ppid !== parent && service.kill('SIGTERM'), 200).unref()
service.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)))
