import { waitFor } from '../../ledger/engines/waitFor.mjs'
import { describePeople } from './persons.mjs'
import { readCards } from './readCards.mjs'
import { listScreens } from './screens.mjs'

/**
 * Opens the service's screens in the browser, and reads the figures that they show.
 * @param {object} parts
 * @param {import('../../ledger/engines/types').Session} parts.session
 * @param {import('../../ledger/serve/startService.mjs').Service} parts.service
 * @returns {Promise<import('../types').Answer[]>}
 */
export async function askScreens({ session, service: { url, login } }) {
  const tab = await session.open(`${url}/app/`)
  /** @param {string} address @param {string} lastCard */
  const look = async (address, lastCard) => {
    await tab.goto(url + address)
    const read = `JSON.stringify((${readCards.toString()})(${JSON.stringify(lastCard)}))`
    const shown = await waitFor(`${address} shows its answers`, () => tab.run(read))
    return /** @type {import('../types').Card[]} */ (JSON.parse(shown))
  }

  const request = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(login),
  }
  const isIn = await tab.run(`fetch('/session', ${JSON.stringify(request)}).then(({ ok }) => ok)`)
  if (!isIn) throw new Error('The screens do not let the judge in')
  const timeZone = await tab.run('Intl.DateTimeFormat().resolvedOptions().timeZone')
  const answers = []
  for (const { address, lastCard, readings } of listScreens(timeZone)) {
    const cards = await look(address, lastCard)
    for (const { read, ...question } of readings)
      answers.push({ ...question, by: /** @type {const} */ ('screen'), source: address, rows: read(cards) })
  }
  answers.push(...(await describePeople(look)))
  await tab.close()
  return answers
}
