// The Model Context Protocol's own conformance tool, from npm, against `/mcp`. It sends no token: a small proxy adds it.
import { readdirSync, readFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { join } from 'node:path'
import { ensureNode } from '../../../scripts/setup.mjs'
import { run as runCommand } from '../../../scripts/setup/run.mjs'
import { installNpm } from '../../../scripts/test/installPackages.mjs'

/** @type {import('../../../scripts/test/suites.mjs').Suite} */
export async function run({ url, agent, work }) {
  const folder = await installNpm('mcp', ['@modelcontextprotocol/conformance@0.1.16'])
  if (!folder) return 'the conformance tool could not be installed'
  const target = new URL(url)
  const proxy = createServer((incoming, answer) => {
    // The host that the client named stays: one of the scenarios sends that of another site.
    const headers = { ...incoming.headers, authorization: `Bearer ${agent}` }
    const { method, url: path } = incoming
    const passed = request({ host: target.hostname, port: target.port, path, method, headers }, (theirs) => {
      answer.writeHead(theirs.statusCode ?? 500, theirs.headers)
      theirs.pipe(answer)
    })
    passed.on('error', () => answer.destroy())
    incoming.pipe(passed)
  })
  await new Promise((resolve) => proxy.listen(0, '127.0.0.1', () => resolve(undefined)))
  const { port } = /** @type {import('node:net').AddressInfo} */ (proxy.address())
  const out = join(work, 'mcp')
  const tool = join(folder, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')
  const flags = ['server', '--url', `http://localhost:${port}/mcp`, '--output-dir', out]
  const { output } = await runCommand(await ensureNode('22'), [tool, ...flags], {
    quiet: true,
    timeoutMs: 300_000,
  })
  proxy.close()
  /** @type {Map<string, string>} */
  const cases = new Map()
  for (const name of readdirSync(out)) {
    const checks = JSON.parse(readFileSync(join(out, name, 'checks.json'), 'utf8'))
    for (const { id, status, errorMessage } of checks)
      if (status === 'SUCCESS' || status === 'FAILURE')
        cases.set(
          `${name.replace(/^server-|-\d{4}-.*$/g, '')}: ${id}`,
          status === 'SUCCESS' ? '' : (errorMessage ?? 'fails'),
        )
  }
  if (cases.size === 0) throw new Error(output.slice(-2000))
  return cases
}
