import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { appendFileSync, mkdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { hostname, networkInterfaces } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { ensureBuilt, ensureInstalled } from './setup.mjs'
import { checkStart } from './setup/checkStart.mjs'
import { freePort } from './setup/freePort.mjs'
import { openInBrowser } from './setup/openInBrowser.mjs'
import { root } from './setup/root.mjs'
import { stopOnSignal } from './setup/stopOnSignal.mjs'

const usage = `npm run demo: sets up, builds, and runs the shop and the service until Ctrl-C.
  --port N           of the shop (default 4180, 0 = any)
  --service-port N   of the service (default 0 = any)
  --host ADDRESS     of both (default 127.0.0.1; 0.0.0.0 is every address of this machine)
  --open             opens the shop in the browser
  --data FOLDER      of the service (default .cache/demo)`

const options = /** @type {const} */ ({
  help: { type: 'boolean', default: false },
  port: { type: 'string', default: '4180' },
  'service-port': { type: 'string', default: '0' },
  host: { type: 'string', default: '127.0.0.1' },
  open: { type: 'boolean', default: false },
  data: { type: 'string', default: join(root, '.cache/demo') },
})

function readOptions() {
  try {
    return parseArgs({ options })
  } catch (error) {
    throw new Error(`${/** @type {Error} */ (error).message}. These are the options:\n\n${usage}`, {
      cause: error,
    })
  }
}

/** @param {string} flag @param {string} text */
function readPort(flag, text) {
  if (!/^\d+$/.test(text) || Number(text) > 65_535)
    throw new Error(`--${flag} takes a port from 0 to 65535, not ${text}.`)
  return Number(text)
}

/**
 * The port itself, or a free one for 0: the service must know the shop's address before either listens.
 * @param {string} flag @param {number} port @param {string} host
 */
async function findPort(flag, port, host) {
  try {
    if (port === 0) return await freePort(host)
    const probe = createServer().listen(port, host)
    await once(probe, 'listening')
    probe.close()
    await once(probe, 'close')
    return port
  } catch (error) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (error)
    throw new Error(
      code === 'EADDRINUSE'
        ? `Port ${port} is taken: choose another with --${flag}, or 0 for any.`
        : `--host ${host} cannot be used: ${message}. It takes an address of this machine.`,
      { cause: error },
    )
  }
}

/** Every origin by which a page of the shop can be reached. @param {string} host @param {number} port */
function originsOf(host, port) {
  const local = ['http://127.0.0.1:*', 'http://localhost:*']
  if (host !== '0.0.0.0') return [...local, `http://${host}:${port}`]
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
  const names = addresses.filter(({ family }) => family === 'IPv4').map(({ address }) => address)
  return [...local, ...[...names, hostname()].map((name) => `http://${name}:${port}`)]
}

async function main() {
  checkStart('demo', Object.keys(options))
  const { values } = readOptions()
  if (values.help) return console.log(usage)
  const { host } = values
  const data = resolve(values.data)
  const port = await findPort('port', readPort('port', values.port), host)
  const servicePort = await findPort('service-port', readPort('service-port', values['service-port']), host)
  await ensureInstalled()
  await ensureBuilt()
  // Only now: these read the packages that were just installed.
  const { createServiceSwitch } = await import('../demo/server/createServiceSwitch.mjs')
  const { startDemo } = await import('../demo/server/startDemo.mjs')

  const sqlPassword = randomBytes(12).toString('base64url')
  mkdirSync(data, { recursive: true })
  const serviceSwitch = await createServiceSwitch({
    port: servicePort,
    host,
    origins: originsOf(host, port).join(),
    data,
    apiKeys: 'demo-key',
    users: `demo:${sqlPassword}`,
    log: (text) => appendFileSync(join(root, '.cache/demo-service.log'), text),
  })
  const settings = {
    endpoint: serviceSwitch.url,
    apiKey: 'demo-key',
    environment: 'production',
    sqlUser: 'demo',
    sqlPassword,
  }
  const demo = await startDemo({ port, host, settings, serviceSwitch }).catch(async (error) => {
    await serviceSwitch.close()
    throw error
  })
  stopOnSignal(async () => {
    console.log('\nStopping.')
    await demo.close()
    await serviceSwitch.close()
  })
  // Nobody can open 0.0.0.0 itself, and this machine is reached by its own address, too.
  const shown = (/** @type {string} */ url) => url.replace('//0.0.0.0:', '//127.0.0.1:')
  const note = host === '0.0.0.0' ? '\n\n  Other machines reach them by the name or address of this one.' : ''
  console.log(`
  The shop       ${shown(demo.url)}
  The live view  ${shown(demo.url)}/live
  The service    ${shown(serviceSwitch.url)}   its screens, and SQL (user demo, password ${sqlPassword})
  Its data       ${data}${note}

  Ctrl-C stops everything.`)
  if (values.open) openInBrowser(shown(demo.url))
}

try {
  await main()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
