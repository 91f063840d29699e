// npm run demo: sets up, builds, and runs the shop and the service until Ctrl-C.
//   --port N           of the shop (default 4180, 0 = any)
//   --service-port N   of the service (default 0 = any)
//   --data FOLDER      of the service (default .cache/demo)
import { randomBytes } from 'node:crypto'
import { appendFileSync, mkdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { ensureBuilt, ensureInstalled } from './setup.mjs'
import { root } from './setup/root.mjs'
import { stopOnSignal } from './setup/stopOnSignal.mjs'

const options = /** @type {const} */ ({
  port: { type: 'string', default: '4180' },
  'service-port': { type: 'string', default: '0' },
  data: { type: 'string', default: join(root, '.cache/demo') },
})

/** @param {string} flag @param {string} text */
function readPort(flag, text) {
  if (!/^\d+$/.test(text) || Number(text) > 65_535)
    throw new Error(`--${flag} takes a port from 0 to 65535, not ${text}.`)
  return Number(text)
}

/** @param {string} flag @param {number} port */
function mustBeFree(flag, port) {
  return new Promise((free, refuse) => {
    const probe = createServer()
    probe.once('error', () =>
      refuse(new Error(`Port ${port} is taken: choose another with --${flag}, or 0 for any.`)),
    )
    probe.listen(port, '127.0.0.1', () => probe.close(free))
  })
}

async function main() {
  const { values } = parseArgs({ options })
  const port = readPort('port', values.port)
  const servicePort = readPort('service-port', values['service-port'])
  const data = resolve(values.data)
  await mustBeFree('port', port)
  await mustBeFree('service-port', servicePort)
  await ensureInstalled()
  await ensureBuilt()
  // Only now: these read the packages that were just installed.
  const { createServiceSwitch } = await import('../demo/server/createServiceSwitch.mjs')
  const { startDemo } = await import('../demo/server/startDemo.mjs')

  const sqlPassword = randomBytes(12).toString('base64url')
  mkdirSync(data, { recursive: true })
  const serviceSwitch = await createServiceSwitch({
    port: servicePort,
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
  const demo = await startDemo({ port, settings, serviceSwitch }).catch(async (error) => {
    await serviceSwitch.close()
    throw error
  })
  stopOnSignal(async () => {
    console.log('\nStopping.')
    await demo.close()
    await serviceSwitch.close()
  })
  console.log(`
  The shop       ${demo.url}
  The live view  ${demo.url}/live
  The service    ${serviceSwitch.url}   (SQL: user demo, password ${sqlPassword})
  Its data       ${data}

  Ctrl-C stops everything.`)
}

try {
  await main()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
