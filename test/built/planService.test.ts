import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, expect, it } from 'vitest'
import { startServer } from '../../server/src/index'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))
/** Inside of the repository, so that the plan finds the package. */
const folder = `${root}.cache/planService`
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const serve = (plan?: string) =>
  startServer({
    port: 0,
    dataFolder: `${folder}/data`,
    apiKeys: ['key'],
    users: { ada: 'lovelace' },
    logLevel: 'silent',
    ...(plan && { planFile: plan }),
  })

it('a plan is written from what a service has stored, and what it stores is checked against the plan', async () => {
  let service = await serve()
  const track = async (event: string, properties: object) => {
    const response = await fetch(`${service.url}/track?apiKey=key&sync=true`, {
      method: 'POST',
      body: JSON.stringify({ environment: 'production', event, distinct_id: 'ada', properties }),
    })
    expect(await response.json()).toMatchObject({ ok: true })
  }
  const waymark = async (...words: string[]) =>
    run(process.execPath, [`${root}bin/waymark.mjs`, 'plan', ...words], {
      cwd: folder,
      env: { ...process.env, WAYMARK_USER: 'ada:lovelace', WAYMARK_URL: service.url },
    }).then(
      ({ stdout }) => ({ code: 0, stdout, stderr: '' }),
      ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
        code,
        stdout,
        stderr,
      }),
    )

  const odd = `an 'odd' "name".$[0]`
  await track('Order Completed', { total: 1, [odd]: [1], $url: 'https://a.test/' })
  await track('Order Completed', { total: 2.5, coupon: null, open: true, where: { city: 'x' } })
  await track('Signed Out', {})
  await track('Page Engaged', { visible_ms: 3 })
  await fetch(`${service.url}/identify?apiKey=key&sync=true`, {
    method: 'POST',
    body: JSON.stringify({
      environment: 'production',
      distinct_id: 'ada',
      traits: { seats: 3, team: 'red' },
    }),
  })

  expect(await waymark('init')).toMatchObject({ code: 0, stderr: '' })
  expect(await waymark()).toMatchObject({ code: 0, stderr: '' })
  const plan = JSON.parse(readFileSync(`${folder}/plan.json`, 'utf8'))
  expect(plan).toMatchObject({
    events: {
      'Order Completed': {
        properties: {
          total: { type: 'number' },
          [odd]: { type: 'array' },
          coupon: { type: 'null' },
          open: { type: 'boolean' },
          where: { type: 'object' },
        },
        required: ['total'],
      },
      'Signed Out': { properties: {} },
    },
    traits: { properties: { seats: { type: 'integer' }, team: { type: 'string' } } },
  })
  expect(Object.keys(plan.events)).toEqual(['Order Completed', 'Signed Out'])
  expect(await waymark('check')).toMatchObject({ code: 2, stderr: expect.stringContaining('--plan') })

  await service.close()
  service = await serve(`${folder}/plan.json`)
  await track('Order Completed', { total: 3 })
  expect(await waymark('check')).toEqual({
    code: 0,
    stdout: 'All 1 events of the last 7d are as planned.\n',
    stderr: '',
  })
  await track('Order Completed', { total: 'three', $release: '1.4.2' })
  await track('Order Complete', { total: 3 })
  const checked = await waymark('check', '--environment', 'production')
  expect(checked).toMatchObject({ code: 1, stderr: '' })
  expect(
    checked.stdout
      .replaceAll(/\d{4}-\d\d-\d\d/g, 'DAY')
      .split('\n')
      .toSorted(),
  ).toEqual([
    '',
    'Order Complete | is not in the plan | 1× | DAY to DAY | no release | production',
    'Order Completed | total: must be a number | 1× | DAY to DAY | release 1.4.2 | production',
  ])
  expect(await waymark('check', '--environment', 'staging')).toMatchObject({ code: 2 })
  return service.close()
})
