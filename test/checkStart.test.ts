import { afterEach, expect, it, vi } from 'vitest'
// @ts-expect-error plain JavaScript
import { checkStart as check } from '../scripts/setup/checkStart.mjs'

const checkStart = check as (script: string, flags: readonly string[], node?: string) => void

afterEach(() => vi.unstubAllEnvs())

it.each(['20.19.0', '20.20.2', '22.12.0', '23.0.0', '24.1.0'])('Node %s builds', (node) => {
  expect(() => checkStart('server', [], node)).not.toThrow()
})

it.each(['16.20.0', '20.18.3', '21.7.0', '22.11.0'])('Node %s is too old, and is told so', (node) => {
  expect(() => checkStart('server', [], node)).toThrow(
    `This needs Node 20.19, or 22.12 or later; this is ${node}.`,
  )
})

it('says where a flag has gone that npm has kept', () => {
  vi.stubEnv('npm_config_service_port', 'true')
  expect(() => checkStart('demo', ['port', 'service-port'])).toThrow(
    'npm has kept --service-port to itself. Put -- before flags: npm run demo -- --service-port …',
  )
  expect(() => checkStart('demo', ['port'])).not.toThrow()
})
