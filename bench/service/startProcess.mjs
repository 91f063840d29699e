import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startProgram } from '../../scripts/startService.mjs'

const at = (path) => fileURLToPath(new URL(path, import.meta.url))

const threads = { UV_THREADPOOL_SIZE: '18' }
const log = (text) => process.stderr.write(text)

/** A process and its children: the service is the ingest process and its engine. */
const familyOf = (pid) => {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  return [pid, ...(children === '' ? [] : children.split(' ').map(Number))]
}

const memoryOfOne = (pid) => {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const read = (name) => Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024)
  return { nowMiB: read('VmRSS'), ownMiB: read('RssAnon'), peakMiB: read('VmHWM') }
}

/** Resident memory of a process and its children in MiB: now, their own without mapped files, and at their highest. */
export const memoryOf = (pid) => {
  const sum = { nowMiB: 0, ownMiB: 0, peakMiB: 0 }
  for (const memory of familyOf(pid).map(memoryOfOne)) {
    for (const name of Object.keys(sum)) sum[name] += memory[name]
  }
  return sum
}

/** Sums it for the ingest process and its engine. */
export const memoryByProcess = (pid) => {
  const [ingest, engine] = familyOf(pid).map(memoryOfOne)
  return { ingest, engine }
}

/** Processor time so far in milliseconds: of a process's main thread, and of all else, its children included. */
export const cpuOf = (pid) => {
  const spent = { mainMs: 0, othersMs: 0 }
  for (const each of familyOf(pid)) {
    for (const thread of readdirSync(`/proc/${each}/task`)) {
      const stat = readFileSync(`/proc/${each}/task/${thread}/stat`, 'utf8')
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      // A tick of the kernel's clock is 10 ms.
      spent[thread === String(pid) ? 'mainMs' : 'othersMs'] += (Number(fields[11]) + Number(fields[12])) * 10
    }
  }
  return spent
}

/** The service in its two processes, of this build or another one, on a folder of its own or a given one, which stays. */
export const startService = async (flags = [], main = at('../../server/dist/main.js'), given) => {
  const folder = given ?? mkdtempSync(join(tmpdir(), 'waymark-bench-'))
  const common = ['--port', '0', '--data', folder, '--api-keys', 'key', '--users', 'a:b', '--quiet']
  const service = await startProgram(main, [...common, ...flags], { env: threads, log })
  return {
    ...service,
    folder,
    async stop() {
      const family = familyOf(service.pid)
      await service.stop()
      // The engine may outlive the service while it writes what is left, and keeps the store locked until then.
      while (family.some((pid) => existsSync(`/proc/${pid}`))) await delay(100)
      if (given === undefined) rmSync(folder, { recursive: true, force: true })
    },
  }
}

export const startBare = () => startProgram(at('bareServer.mjs'), [], { log })

export const startFloor = () => startProgram(at('floorServer.mjs'), [], { env: threads, log })

export const basic = `Basic ${Buffer.from('a:b').toString('base64')}`

export const query = async (url, statement, more = {}) => {
  const response = await fetch(`${url}/query`, {
    method: 'POST',
    headers: { authorization: basic },
    body: JSON.stringify({ statement, ...more }),
  })
  const lines = (await response.text()).trim().split('\n')
  if (response.status !== 200) throw new Error(lines.join(' '))
  return lines.slice(2).map((line) => JSON.parse(line))
}
