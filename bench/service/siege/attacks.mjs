import { spawn } from 'node:child_process'
import { closeSync, openSync, readdirSync, renameSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { basic } from '../startProcess.mjs'
import { ask, count, statusOf } from './ask.mjs'
import { neighbours } from './neighbours.mjs'

const send = (url, body) => statusOf(`${url}/track?apiKey=key`, { method: 'POST', body })

/** Events in an environment of their own, so that they are not counted among those that must all be there. */
const heavy = (rows, bytes) => {
  const event = {
    environment: 'siege',
    event: 'Heavy',
    distinct_id: 'nobody',
    properties: { text: 'x'.repeat(bytes) },
  }
  return `[${Array.from({ length: rows }, () => JSON.stringify(event)).join(',')}]`
}

/** Words to the Postgres port from somebody without a login, each part half a second behind the one before. */
const speak = async (port, parts) => {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined)
  for (const part of parts) {
    socket.write(part)
    await delay(500)
  }
  socket.destroy()
}

const startUp = Buffer.concat([
  Buffer.from([0, 0, 0, 16, 0, 3, 0, 0]),
  Buffer.from('user\0a\0\0', 'latin1').subarray(0, 8),
])

const fillDisk = async ({ folder }) => {
  const file = join(folder, 'somebody-elses-file')
  const handle = openSync(file, 'w')
  let mebibytes = 0
  try {
    for (const chunk = Buffer.alloc(2 ** 20, 1); ; mebibytes++) writeSync(handle, chunk)
  } catch {
    await delay(8000)
  } finally {
    closeSync(handle)
    rmSync(file)
  }
  return `${mebibytes} MiB written by somebody else, and given back after 8 s`
}

const crash = (signal) => async (siege) => {
  process.kill(signal === 'engine' ? siege.enginePid() : siege.pid(), 'SIGKILL')
  if (signal === 'engine') return 'killed'
  await siege.restart()
  return 'killed, started again'
}

/** The newest file of the log is taken away while the service is down: it must not start as if nothing were missing. */
const loseLogFile = async (siege) => {
  const folder = join(siege.data, 'accept-log', 'analytics')
  process.kill(siege.pid(), 'SIGKILL')
  await siege.ended()
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.wal'))
    .toSorted()
  // The last may be a spare one, which has never held anything.
  const taken = files.slice(-2)
  for (const name of taken) renameSync(join(folder, name), join(siege.folder, name))
  const code = await siege.startOnce()
  for (const name of taken) renameSync(join(siege.folder, name), join(folder, name))
  await siege.restart()
  return `without it the start ${code === undefined ? 'SUCCEEDED' : `was refused with ${code}`}; put back, started again`
}

const garbage = () => Buffer.from(Array.from({ length: 200 }, () => Math.floor(Math.random() * 256)))

/** A client that asks for much and reads nothing of it. */
const neverReads = (url) => {
  const { hostname, port } = new URL(url)
  const body = JSON.stringify({ statement: `SELECT repeat('x', 1000) FROM range(1000000)` })
  const socket = connect(Number(port), hostname).on('error', () => undefined)
  socket.pause()
  socket.write(
    `POST /query HTTP/1.1\r\nHost: bench\r\nAuthorization: ${basic}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )
  return socket
}

/** What once stopped, filled or opened the service. Each says what came of it. */
export const attacks = {
  'one byte to the Postgres port, by 20 clients': async ({ postgresPort }) => {
    await Promise.all(
      Array.from({ length: 20 }, () => speak(postgresPort, [Buffer.alloc(1), Buffer.alloc(1)])),
    )
    return 'said'
  },
  'a start-up message in two parts, and garbage': async ({ postgresPort }) => {
    const words = [
      [startUp.subarray(0, 5), startUp.subarray(5)],
      [startUp.subarray(0, 9), startUp.subarray(9)],
    ]
    await Promise.all(
      [...words, ...Array.from({ length: 20 }, () => [garbage()])].map((each) => speak(postgresPort, each)),
    )
    return 'said'
  },
  'events of 5 KB, 30,000 of them': async ({ url }) => {
    const body = heavy(3000, 5000)
    return count(await Promise.all(Array.from({ length: 10 }, () => send(url(), body))))
  },
  '54 events of 3 MB': async ({ url }) => {
    const body = heavy(1, 3_000_000)
    return count(await Promise.all(Array.from({ length: 54 }, () => send(url(), body))))
  },
  'a full disk': async (siege) => (siege.isSmallDisk ? fillDisk(siege) : 'not done: no disk of its own'),
  'CREATE TABLE of 50 million rows': async ({ url, data }) => {
    const before = statfsSync(data).bavail
    const status = await ask(
      url(),
      'CREATE OR REPLACE TABLE big AS SELECT range AS a, hash(range) AS b FROM range(50000000)',
    )
    const dropped = await ask(url(), 'DROP TABLE IF EXISTS big')
    const { bavail, bsize } = statfsSync(data)
    return `${status}, DROP ${dropped}, ${Math.round(((before - bavail) * bsize) / 2 ** 20)} MiB less free`
  },
  'brackets and empty objects, 5 MB/s': async ({ url }) => {
    const bodies = ['['.repeat(1_000_000), `[${'{},'.repeat(999_999)}{}]`]
    const answers = []
    for (let n = 0; n < 20; n++) {
      answers.push(send(url(), bodies[n % 2]))
      await delay(400)
    }
    return count(await Promise.all(answers))
  },
  'twenty bodies of 15 MB at once': async ({ url }) => {
    const body = heavy(15, 1_000_000)
    return count(await Promise.all(Array.from({ length: 20 }, () => send(url(), body))))
  },
  'wrong passwords': async ({ url }) => {
    const authorization = `Basic ${Buffer.from('a:wrong').toString('base64')}`
    const wrong = () => statusOf(`${url()}/query`, { method: 'POST', headers: { authorization }, body: '{}' })
    return count(await Promise.all(Array.from({ length: 40 }, wrong)))
  },
  'a plan as text, a sequence of ranges': async ({ url }) => {
    const statements = [
      `SELECT json_serialize_plan('SELECT current_setting(''temp_directory'')', optimize := true)`,
      'SELECT len(range(2000000000))',
      `SELECT json_structure(repeat('[', 100000) || repeat(']', 100000))`,
    ]
    const answers = []
    for (const each of statements) answers.push(await ask(url(), each))
    return answers.join(', ')
  },
  'a CSV whose last line has 33 MB': async ({ url }) => {
    const body = `a,b\n1,2\n3,${'x'.repeat(33_000_000)}`
    const query = 'catalog=lakehouse&schema=main&table=lines&format=csv&mode=create_append'
    return statusOf(`${url()}/upload?${query}`, { method: 'POST', headers: { authorization: basic }, body })
  },
  'a hundred answers that nobody reads': async ({ url }) => {
    const sockets = Array.from({ length: 100 }, () => neverReads(url()))
    await delay(2000)
    const began = performance.now()
    const status = await ask(url(), 'SELECT 1')
    const seconds = ((performance.now() - began) / 1000).toFixed(1)
    for (const socket of sockets) socket.destroy()
    return `another question: ${status} after ${seconds} s`
  },
  ...neighbours,
  'kill -9 of the engine': crash('engine'),
  'kill -9 of everything': crash('service'),
  'the newest files of the log are gone at a start': loseLogFile,
}

/** A small disk where this process may mount one, so that filling it harms nobody. */
export const mountSmallDisk = (folder, mebibytes) =>
  new Promise((resolve) => {
    const child = spawn('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', folder], {
      stdio: 'ignore',
    })
    child.once('error', () => resolve(false)).once('exit', (code) => resolve(code === 0))
  })

export const unmount = (folder) =>
  new Promise((resolve) => spawn('umount', [folder], { stdio: 'ignore' }).once('exit', resolve))
