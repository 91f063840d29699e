import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Supervisor } from '../../src/link/Supervisor.js'
import { Logger } from '../../src/Logger.js'
import { eventually } from '../fixtures/eventually.js'

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

let folder: string
let supervisor: Supervisor | undefined
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'waymark-supervisor-'))))
afterEach(async () => {
  await supervisor?.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** Starts a program whose first run does `first`, and whose later ones do `later`. */
const supervise = (first: string, later: string, silentMs: number) => {
  const program = join(folder, 'engine.mjs')
  const mark = JSON.stringify(join(folder, 'ran'))
  writeFileSync(
    program,
    `import { existsSync, writeFileSync } from 'node:fs'
     const say = (kind) => process.send({ kind })
     const isFirst = !existsSync(${mark})
     writeFileSync(${mark}, '')
     if (isFirst) { ${first} } else { ${later} }`,
  )
  supervisor = new Supervisor({ program, args: [], env: process.env, logger: new Logger('silent'), silentMs })
  return supervisor.start()
}

it('tells why an engine ended that could not go on, and logs that once', async () => {
  const lines: string[] = []
  const reasons: string[] = []
  const program = join(folder, 'engine.mjs')
  const mark = JSON.stringify(join(folder, 'ran'))
  writeFileSync(
    program,
    `import { appendFileSync, readFileSync } from 'node:fs'
     appendFileSync(${mark}, 'x')
     const starts = readFileSync(${mark}, 'utf8').length
     if (starts === 1) process.send({ kind: 'ready' })
     if (starts < 4) process.send({ kind: 'fatal', reason: 'The disk is full.' }, () => process.exit(1))
     else {
       process.send({ kind: 'ready' })
       setInterval(() => {}, 1000)
     }`,
  )
  supervisor = new Supervisor({
    program,
    args: [],
    env: process.env,
    logger: new Logger('info', (line) => lines.push(line)),
    onFailed: (reason) => reasons.push(reason),
  })
  expect(await supervisor.start()).toEqual({ kind: 'ready' })
  await eventually(() => expect(lines.join('')).toContain('The engine runs again.'))
  expect(reasons).toEqual(Array(3).fill('The disk is full.'))
  expect(lines.filter((line) => line.includes('The engine ended'))).toHaveLength(1)
})

const stays = 'setInterval(() => {}, 1000)'

it('has a process ready for the next start, once an engine has ended', async () => {
  const notes = join(folder, 'notes')
  const program = join(folder, 'engine.mjs')
  writeFileSync(
    program,
    `import { appendFileSync } from 'node:fs'
     const note = (what) => appendFileSync(${JSON.stringify(notes)}, what + ' ' + process.pid + '\\n')
     note('loaded')
     process.once('message', ({ kind }) => {
       note(kind)
       process.send({ kind: 'ready' })
       ${stays}
     })`,
  )
  supervisor = new Supervisor({ program, args: [], env: process.env, logger: new Logger('silent') })
  expect(await supervisor.start()).toEqual({ kind: 'ready' })
  const noted = () => readFileSync(notes, 'utf8').trim().split('\n')
  const pidAt = (line: number) => Number(noted().at(line)?.split(' ')[1])
  const first = pidAt(0)
  expect(noted()).toEqual([`loaded ${first}`, `begin ${first}`])
  process.kill(first, 'SIGKILL')
  await eventually(() => expect(noted()).toHaveLength(5))
  const [second, spare] = [pidAt(2), pidAt(4)]
  expect(noted().slice(2)).toEqual([`loaded ${second}`, `begin ${second}`, `loaded ${spare}`])
  process.kill(second, 'SIGKILL')
  await eventually(() => expect(noted().at(5)).toBe(`begin ${spare}`))
  await supervisor.stop()
  supervisor = undefined
  for (const pid of [first, second, spare]) await eventually(() => expect(isAlive(pid)).toBe(false))
})

describe('an engine that is being started', () => {
  it('is ended and started again when it says nothing', async () => {
    expect(await supervise('for (;;);', `say('ready'); ${stays}`, 2000)).toEqual({ kind: 'ready' })
  })

  it('may take longer than that, as long as it says so', async () => {
    const slowly = `let said = 0
      const timer = setInterval(() => {
        if (said++ < 30) return say('starting')
        clearInterval(timer)
        say('ready')
        ${stays}
      }, 100)`
    expect(await supervise(slowly, `process.send({ kind: 'fatal', reason: 'started twice' })`, 2000)).toEqual(
      {
        kind: 'ready',
      },
    )
  })
})
