import { expect, it } from 'vitest'
import { readProgress, toArrival } from '../src/pages/setup/readArrivals'

const at = (second: number) => `2026-11-24T06:00:0${second}.000Z`
const arrival = (environment: string, isBot: boolean, second: number) =>
  toArrival([environment, isBot, at(second), '$pageview', 'https://shop.example/', false])
const refusal = (second: number) => ({
  at: at(second),
  code: 'unauthorized',
  message: 'Wrong.',
  origin: null,
})

const person = arrival('production', false, 2)
const bot = arrival('production', true, 3)
const other = arrival('staging', false, 4)

it.each([
  ['nothing has come', [], null, { state: 'waiting' }],
  ['only bots have come', [other, bot], null, { state: 'bots', arrival: bot }],
  ['events are in another environment', [other], null, { state: 'elsewhere', arrival: other }],
  ['a person has come', [bot, person, other], null, { state: 'arrived', arrival: person }],
  ['the first request was refused', [], refusal(1), { state: 'refused', refused: refusal(1) }],
  ['what was refused was right afterwards', [person], refusal(1), { state: 'arrived', arrival: person }],
  [
    'a later request was refused',
    [person],
    refusal(5),
    { state: 'arrived', arrival: person, refused: refusal(5) },
  ],
] as const)('says that %s', (_title, arrivals, refused, progress) => {
  expect(readProgress(arrivals, refused, 'production')).toEqual(progress)
})
