import { expect, it } from 'vitest'
import { readSenders, senderNames } from '../../src/senders/senderChoice.js'

const read = (text: string) => readSenders(text.split(',').filter(Boolean), '--senders')

it.each([
  ['', senderNames, []],
  ['none', [], []],
  ['segment,posthog', ['segment', 'posthog'], []],
  ['shop.example=pk_web', senderNames, [['shop.example', 'pk_web']]],
  ['plausible,shop.example=pk=web', ['plausible'], [['shop.example', 'pk=web']]],
])('reads "%s"', (text, on, keys) => {
  expect(read(text)).toEqual({ on, keys: new Map(keys as [string, string][]) })
})

it.each(['heap', 'segment,Posthog', '=pk', 'shop.example='])('refuses "%s" in a sentence', (text) => {
  expect(() => read(text)).toThrow(
    /^--senders (?:must name some of segment, .*, or none, not|takes what an SDK gives)/,
  )
})
