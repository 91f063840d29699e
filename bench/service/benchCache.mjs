import { chromium } from 'playwright'
import { ensureBrowser } from '../../scripts/setup.mjs'
import { openShop } from './openShop.mjs'
import { basic, startService } from './startProcess.mjs'

const millions = 10
const rounds = 5
/** The last month of the shop, with the month before to compare with. */
const address = '/app/?range=custom&from=2025-11-01&until=2025-11-30'

const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1]

/** What the overview asks, as its page sends it. */
export const readQuestions = async (url, path = address) => {
  const browser = await chromium.launch({ executablePath: await ensureBrowser(), args: ['--no-sandbox'] })
  const page = await browser.newPage()
  await page.goto(url + path)
  await page.getByLabel('Name').fill('a')
  await page.getByLabel('Password').fill('b')
  const questions = []
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/answer'))
      questions.push(request.postDataJSON())
  })
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.getByRole('button', { name: /^People/ }).waitFor({ timeout: 120_000 })
  await page.waitForLoadState('networkidle')
  await browser.close()
  if (questions.length === 0)
    throw new Error('The overview asked nothing: does its page send answers elsewhere?')
  return questions
}

/** All questions at once, as a reload asks them; how long until the last answer is complete. */
export const reload = async (url, questions, more = {}) => {
  const began = performance.now()
  await Promise.all(
    questions.map(async (question) => {
      const response = await fetch(`${url}/answer`, {
        method: 'POST',
        headers: { authorization: basic },
        body: JSON.stringify({ ...question, ...more }),
      })
      if (!response.ok) throw new Error(await response.text())
      await response.text()
    }),
  )
  return performance.now() - began
}

const times = async (work) => {
  const took = []
  for (let round = 0; round < rounds; round++) took.push(await work())
  return median(took)
}

/** A reload of the overview with the answers in the cache, against one that asks DuckDB. */
export const benchCache = async () => {
  const service = await startService([], undefined, await openShop(millions))
  const { url } = service
  const questions = await readQuestions(url)
  const coldMs = await times(() => reload(url, questions, { cache: false }))
  await reload(url, questions)
  const warmMs = await times(() => reload(url, questions))
  await service.stop()
  return [
    [
      `cache: ${questions.length} statements of the overview, ${millions} M events, with the answers in the cache`,
      '≤ 5 % of the time without',
      `${warmMs.toFixed(0)} of ${coldMs.toFixed(0)} ms (${((100 * warmMs) / coldMs).toFixed(1)} %)`,
      warmMs <= 0.05 * coldMs,
    ],
  ]
}
