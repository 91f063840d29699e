import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** Inside of the repository, so that a plan finds the packages. */
const folder = join(root, '.cache/plan')

beforeEach(() => {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Runs `npx waymark plan …` as a project would. */
const plan = async (words: string[], env: Record<string, string> = {}) => {
  const child = spawn(process.execPath, [join(root, 'bin/waymark.mjs'), 'plan', ...words], {
    cwd: folder,
    env: { PATH: process.env['PATH'], ...env },
  })
  const [out, error, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ])
  return { code, out, error }
}

const write = (name: string, ...lines: string[]) => writeFileSync(join(folder, name), lines.join('\n'))
const readPlan = (name = 'plan.json') =>
  JSON.parse(readFileSync(join(folder, name), 'utf8')) as Record<string, Record<string, unknown>>

describe('waymark plan', () => {
  it('writes the schemas of zod, valibot, arktype and JSON Schema, each with its line', async () => {
    cpSync(join(root, 'test/types/plan/plan.ts'), join(folder, 'plan.ts'))
    expect(await plan([])).toEqual({
      code: 0,
      out: 'plan.json has the schemas of 7 events.\n',
      error: '',
    })
    const { events, traits } = readPlan()
    const number = { type: 'number' }
    const string = { type: 'string' }
    expect(events).toMatchObject({
      'Order Completed': {
        type: 'object',
        properties: { total: number, coupon: string },
        required: ['total'],
        $comment: 'plan.ts:8',
      },
      'Search Used': {
        type: 'object',
        properties: { query: string, hits: number },
        required: ['query'],
        $comment: 'plan.ts:9',
      },
      'Map Viewed': {
        type: 'object',
        properties: { slug: string, zoom: number },
        required: ['slug'],
        $comment: 'plan.ts:10',
      },
      'Form Filled': { properties: { form: string }, required: ['form'], additionalProperties: true },
      'Signed Out': { type: 'object', $comment: 'plan.ts:27' },
    })
    expect(traits).toMatchObject({ properties: { email: string, seats: number } })
    // What was compiled is gone.
    expect(readdirSync(folder)).toEqual(['plan.json', 'plan.ts'])
  })

  it('takes the file that it is given, and writes where it is told', async () => {
    mkdirSync(join(folder, 'src'))
    write(
      'src/events.mjs',
      "import { definePlan } from 'waymark/plan'",
      '// Signed Up: once a person',
      'const other = { SignedUp: 1 }',
      'export default definePlan({ events: {',
      '  [`Signed Up`]: {},',
      '  "It\'s (new)?": {},',
      '  SignedUp: {},',
      '} })',
    )
    expect(await plan(['src/events.mjs', '--out', 'other.json'])).toMatchObject({ code: 0 })
    expect(readPlan('other.json')['events']).toMatchObject({
      'Signed Up': { $comment: 'src/events.mjs:5' },
      "It's (new)?": { $comment: 'src/events.mjs:6' },
    })
  })

  it('has no line of an event whose name stands in another file', async () => {
    write('names.mjs', "export const name = 'Signed Up'")
    write('plan.mjs', "import { name } from './names.mjs'", 'export default { events: { [name]: {} } }')
    await plan([])
    expect(readPlan()).toEqual({ events: { 'Signed Up': { type: 'object' } } })
  })

  it.each([
    ['z.string()', 'Signed Up: it has to be the schema of an object, not of string'],
    ['z.object({ at: z.date() })', 'Signed Up: Date cannot be represented in JSON Schema'],
    [
      '{ "~standard": { version: 1, vendor: "old" } }',
      'Signed Up: this version of old gives no JSON Schema: take a newer one, or write JSON Schema',
    ],
  ])('names the event that it cannot write, %s', async (schema, told) => {
    write(
      'plan.mjs',
      "import { z } from 'zod'",
      `export default { events: { 'Signed Out': z.object({}), 'Signed Up': ${schema} } }`,
    )
    expect(await plan([])).toEqual({ code: 2, out: '', error: `${told}\n` })
    expect(readdirSync(folder)).toEqual(['plan.mjs'])
  })

  it('says what to do about TypeScript that Node cannot read, where there is no esbuild', async () => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'waymark-plan-'))
    // An import that only bundlers find, so that it is so in every Node.
    writeFileSync(join(elsewhere, 'plan.ts'), "export * from './events'\n")
    writeFileSync(join(elsewhere, 'events.ts'), 'export default { events: {} }\n')
    const { code, error } = await plan([join(elsewhere, 'plan.ts')])
    expect(code).toBe(2)
    expect(error).toMatch(/^Node \S+ cannot read .*install esbuild, or write the plan as plan\.mjs\.\n$/s)
    rmSync(elsewhere, { recursive: true })
  })

  it.each([
    [[], 'There is no plan.ts, plan.mts, plan.mjs, plan.js here: name the file of your plan. See --help.'],
    [['none.mjs'], 'There is no file none.mjs.'],
    [['empty.mjs'], 'empty.mjs has no default export of definePlan({ events: … }).'],
    [['wrong.mjs'], 'wrong.mjs fails: no luck'],
    [['check', '--out', 'plan.json'], '--out does not belong to this command. See --help.'],
    [['--sinc', '7d'], "Unknown option '--sinc'. See --help."],
    [['a.mjs', 'b.mjs'], '"b.mjs" is one word too many. See --help.'],
  ])('says what is wrong with %j', async (words, told) => {
    write('empty.mjs', 'export const plan = 1')
    write('wrong.mjs', "throw new Error('no luck')")
    expect(await plan(words)).toEqual({ code: 2, out: '', error: `${told}\n` })
  })
})

describe('the commands that ask a service', () => {
  /** What is answered to a statement that has this in it, as columns and rows. */
  let answers: [has: string, columns: string[], ...rows: unknown[][]][] = []
  let asked: { statement: string; user: string | undefined }[] = []
  let url = ''
  const service = createServer((request, response) => {
    void text(request).then((body) => {
      const { statement } = JSON.parse(body) as { statement: string }
      asked.push({ statement, user: request.headers.authorization })
      const [, columns, ...rows] = answers.find(([has]) => statement.includes(has)) ?? []
      if (!columns) {
        response.statusCode = 400
        return response.end('{"error_code":"invalid-sql","message":"plan_drift is not there."}')
      }
      const lines = [{}, columns.map((name) => ({ name, type: 'VARCHAR' })), ...rows]
      return response.end(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    })
  })
  beforeAll(async () => {
    service.listen(0, '127.0.0.1')
    await once(service, 'listening')
    url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`
  })
  afterAll(() => service.close())
  beforeEach(() => {
    answers = []
    asked = []
  })
  const env = { WAYMARK_USER: 'ada:secret:word' }
  const judged = (count: number): (typeof answers)[number] => ['count(plan_verdict)', ['events'], [count]]
  const columns = [
    'environment',
    'event',
    'property',
    'problem',
    'release',
    'first_seen',
    'last_seen',
    'events',
  ]

  it('check lists what drifts, and ends with 1', async () => {
    const days = ['2026-11-20T10:00:00Z', '2026-11-24T09:00:00Z']
    answers = [
      judged(40),
      [
        'plan_drift',
        columns,
        ['production', 'Order Completed', 'total', 'must be a number', '1.4.2', ...days, 12],
        ['staging', 'Sign Up', null, 'is not in the plan', null, ...days, 1],
      ],
    ]
    expect(await plan(['check', '--url', url, '--since', '12h', '--environment', "o'ne"], env)).toEqual({
      code: 1,
      out:
        'Order Completed | total: must be a number | 12× | 2026-11-20 to 2026-11-24 | release 1.4.2 | production\n' +
        'Sign Up | is not in the plan | 1× | 2026-11-20 to 2026-11-24 | no release | staging\n',
      error: '',
    })
    for (const { statement, user } of asked) {
      expect(statement).toContain("now() - INTERVAL 12 HOUR AND environment = 'o''ne'")
      expect(user).toBe(`Basic ${btoa('ada:secret:word')}`)
    }
  })

  it('check ends with 0 when all is as planned', async () => {
    answers = [judged(40), ['plan_drift', columns]]
    expect(await plan(['check'], { ...env, WAYMARK_URL: url })).toEqual({
      code: 0,
      out: 'All 40 events of the last 7d are as planned.\n',
      error: '',
    })
  })

  it('check ends with 2 when nothing was compared with a plan, which is no agreement', async () => {
    answers = [judged(0), ['plan_drift', columns]]
    expect(await plan(['check', '--url', url], env)).toMatchObject({
      code: 2,
      error: 'The service has compared no event of the last 7d with a plan: is it started with --plan?\n',
    })
  })

  it.each([
    [['--since', '7 days'], env, '--since takes days (7d) or hours (12h), not "7 days".'],
    [[], {}, 'WAYMARK_USER is missing: set it to a user who may read, as name:password.'],
  ])('check says what is wrong with %j', async (words, given, told) => {
    expect(await plan(['check', '--url', url, ...words], given)).toEqual({
      code: 2,
      out: '',
      error: `${told}\n`,
    })
  })

  it('check ends with 2 when the service refuses, and when nobody answers', async () => {
    expect(await plan(['check', '--url', url], env)).toMatchObject({
      code: 2,
      error: `The service at ${url} refuses: plan_drift is not there.\n`,
    })
    const nobody = 'http://127.0.0.1:9'
    expect((await plan(['check', '--url', nobody], env)).error).toMatch(`Nobody answers at ${nobody}: `)
  })

  it('init writes a plan that waymark plan takes, and no file over another', async () => {
    answers = [
      [
        'json_keys',
        ['event', 'events', 'name', 'types', 'count'],
        ['Order Completed', 5, 'total', ['UBIGINT', 'DOUBLE'], 5],
        ['Order Completed', 5, 'coupon', ['VARCHAR', 'NULL'], 2],
        ['Order Completed', 5, 'insert_id', ['VARCHAR'], 5],
        ['Order Completed', 5, 'last_utm_source', ['VARCHAR'], 5],
        ['Order Completed', 5, `a '\\" name`, ['BOOLEAN'], 1],
        ['$pageview', 9, '$url', ['VARCHAR'], 9],
        ['Page Engaged', 9, 'visible_ms', ['UBIGINT'], 9],
        ['Signed Out', 3, null, null, null],
      ],
      ['identity_traits', ['name', 'types'], ['seats', ['UBIGINT']]],
    ]
    expect(await plan(['init', '--url', url], env)).toMatchObject({ code: 0 })
    expect(readFileSync(join(folder, 'plan.mjs'), 'utf8')).toContain(
      "        coupon: { type: ['string', 'null'] },\n",
    )
    expect(await plan([])).toMatchObject({ code: 0 })
    expect(readPlan()).toEqual({
      events: {
        'Order Completed': {
          type: 'object',
          properties: {
            total: { type: 'number' },
            coupon: { type: ['string', 'null'] },
            [`a '\\" name`]: { type: 'boolean' },
          },
          required: ['total'],
          $comment: 'plan.mjs:5',
        },
        'Signed Out': { type: 'object', properties: {}, $comment: 'plan.mjs:14' },
      },
      traits: { type: 'object', properties: { seats: { type: 'integer' } } },
    })

    const { code, error } = await plan(['init', '--url', url], env)
    expect([code, error]).toEqual([2, 'plan.mjs is there already: name another file by --out.\n'])

    await plan(['init', '--url', url, '--out', 'plan.ts'], env)
    expect(readFileSync(join(folder, 'plan.ts'), 'utf8')).toContain("declare module 'waymark'")
  })
})
