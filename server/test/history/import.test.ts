import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { eventually } from '../fixtures/eventually.js'
import { runWaymark } from '../fixtures/runWaymark.js'
import { urlIn } from '../fixtures/spawnService.js'
import { rows as ask, useSpawned } from '../fixtures/useSpawned.js'
import { useService } from '../fixtures/useService.js'

const lines = (many: number) =>
  Array.from(
    { length: many },
    (_, at) => `2024-02-01T10:00:00.${String(at % 1000).padStart(3, '0')}Z,Ordered,u${at}\n`,
  )
const fileOf = (many: number) => `time,event,user_id\n${lines(many).join('')}`

describe('waymark-server import', () => {
  const service = useService()
  const rows = async (statement: string) => (await service.query(statement)).rows
  const run = (...words: string[]) =>
    runWaymark('import', ...words, '--url', service.url, '--user', 'ada:lovelace')

  it('tells what would be done, does it, and takes it back', async () => {
    const file = join(service.folder, 'orders.csv')
    writeFileSync(file, `${fileOf(30)}2999-01-01,Ordered,late\n`)
    const dry = await run('csv', file, '--dry-run')
    expect(dry).toMatchObject({ code: 0, problems: '' })
    expect(dry.lines.join('\n')).toMatch(/csv-[0-9a-f]{12}: 30 of 31 rows are events of about \d+ people/)
    expect(dry.lines).toContain('  refused: 1 rows: a time in the future, such as 2999-01-01')
    const count = () => rows('SELECT count(*) FROM analytics.events WHERE imported IS NOT NULL')
    expect(await count()).toEqual([[0]])

    const done = await run('csv', file)
    const [imported] = /csv-[0-9a-f]{12}/.exec(done.lines.at(-1)!)!
    expect(done.lines.at(-1)).toContain('30 rows of')
    expect(await count()).toEqual([[30]])
    expect(await run('undo', imported)).toEqual({
      code: 0,
      lines: [`${imported} is taken back.`],
      problems: '',
    })
    expect(await count()).toEqual([[0]])
  })

  it.each([
    [['paper', 'x.csv'], 2, 'paper is no source; there are'],
    [['csv', 'x.csv', '--map', 'when=a'], 2, '--map when=a is no FIELD=COLUMN'],
    [['csv', '/nowhere/x.csv'], 1, '/nowhere/x.csv cannot be read'],
    [['undo', 'csv-nothing'], 1, 'There is no import csv-nothing.'],
  ])('%j is told in a sentence', async (words, code, problem) => {
    expect(await run(...words)).toMatchObject({ code, problems: expect.stringContaining(problem) })
  })
})

describe('a service that is killed while it imports', () => {
  const { current, launch, common } = useSpawned()
  const user = 'ada:secret-word'
  const authorization = `Basic ${Buffer.from(user).toString('base64')}`

  it('has each event once when the import is begun again', async () => {
    const many = 40_000
    const file = join(current.folder, '..', `${current.folder.split('/').at(-1)}.csv`)
    writeFileSync(file, fileOf(many))
    const spawned = launch([...common(), '--quiet'], { direct: true })
    const url = urlIn(await spawned.ready)
    const broken = runWaymark('import', 'csv', file, '--url', url, '--user', user)
    await eventually(async () => {
      const answer = await fetch(`${url}/history`, { headers: { authorization } })
      const { import: state } = (await answer.json()) as { import: { done: number } | null }
      expect(state?.done ?? 0).toBeGreaterThan(2000)
    })
    spawned.kill('SIGKILL')
    expect((await broken).code).toBe(1)
    await spawned.ended

    const again = launch([...common(), '--quiet'], { direct: true })
    const second = urlIn(await again.ready)
    const count = 'SELECT count(*), count(DISTINCT person_id) FROM analytics.events'
    const [[left]] = (await ask(second, count)) as [[number]]
    expect(left).toBeGreaterThan(0)
    expect(left).toBeLessThan(many)
    const whole = await runWaymark('import', 'csv', file, '--url', second, '--user', user)
    expect(whole.problems).toBe('')
    expect(await ask(second, count)).toEqual([[many, many]])
  })
})
