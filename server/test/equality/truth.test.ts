import { afterAll, beforeAll, describe, expect, it } from 'vitest'
// @ts-expect-error plain JavaScript
import { saveGoals } from '../../../e2e/equality/judge/goals.mjs'
// @ts-expect-error plain JavaScript
import { askSql, countDifferences, judge } from '../../../e2e/equality/judge/judge.mjs'
// @ts-expect-error plain JavaScript
import { kindOf } from '../../../e2e/equality/people/kinds.mjs'
// @ts-expect-error plain JavaScript
import { planPeople } from '../../../e2e/equality/people/planPeople.mjs'
// @ts-expect-error plain JavaScript
import { spoil } from '../../../e2e/equality/truth/spoil.mjs'
// @ts-expect-error plain JavaScript
import { tellTruth } from '../../../e2e/equality/truth/tellTruth.mjs'
import type { Answer, Person, TrueEvent, Truth, Verdict } from '../../../e2e/equality/types.js'
import { createService, type Service } from '../fixtures/createService.js'

/** What a client that makes no mistake sends of an event. Within its minute the time is any. */
const toPayload = (event: TrueEvent) => {
  const { source, medium, campaign } = event.registered
  const { timeZone, width } = kindOf(event.device)
  const url = new URL(event.path, 'https://shop.example')
  for (const [name, value] of Object.entries(event.address)) url.searchParams.set(`utm_${name}`, value)
  return {
    environment: 'production',
    event: event.name,
    timestamp: event.at + 700,
    distinct_id: `anonymous-${event.visitor}`,
    device_id: event.device,
    session_id: event.session,
    properties: {
      ...event.properties,
      mark: event.mark,
      insert_id: event.mark,
      browser_time_zone: timeZone,
      $viewport: `${width}x700`,
      $url: url.href,
      ...(event.isFromNews && { $referer: 'https://news.example/' }),
      ...(source && { $utm_source: source }),
      ...(medium && { $utm_medium: medium }),
      ...(campaign && { $utm_campaign: campaign }),
    },
  }
}

const people: Person[] = planPeople({ count: 60, seed: 1, canKill: true })
const truth: Truth = tellTruth(people)
let service: Service
let answers: Answer[]

beforeAll(async () => {
  service = await createService()
  const send = (path: string, body: unknown[], headers = {}) =>
    service.ingest(`${path}?sync=true`, body, headers)
  for (const kind of ['phone', 'tablet', 'laptop', 'desk', 'robot']) {
    const { userAgent, languages } = kindOf(`p001/${kind}`)
    const own = truth.events.filter(({ device }) => device.endsWith(`/${kind}`))
    await send('/track', own.map(toPayload), { 'user-agent': userAgent, 'accept-language': languages })
  }
  // What ends as a person's is linked here in one step; which steps lead there is what the browsers show.
  const named = truth.events.filter(({ visitor }) => truth.isNamed(truth.personOf(visitor)))
  const links = named.map(({ visitor, at }) => ({
    environment: 'production',
    distinct_id: truth.personOf(visitor),
    anonymous_id: `anonymous-${visitor}`,
    traits: {},
    timestamp: at,
  }))
  await send('/identify', links)
  const traits = truth.traits.map(({ user, traits: own, at }) => ({
    environment: 'production',
    distinct_id: truth.personOf(user),
    traits: own,
    timestamp: at,
  }))
  await send('/identify', traits)
  await saveGoals(async (item: object) => {
    const { status } = await service.ask('/saved', item)
    expect(status).toBe(200)
  })
  answers = await askSql(async (statement: string) => {
    const { rows, error } = await service.query(statement)
    if (error) throw new Error(`${statement}: ${JSON.stringify(error)}`)
    return rows
  })
})
afterAll(() => service.close())

describe('the answers about sixty people', () => {
  it('are those that plain JavaScript computes from what they did', () => {
    const verdicts: Verdict[] = judge(answers, truth)
    const wrong = verdicts.filter(({ missing, extra }) => missing.length + extra.length)
    expect(wrong).toEqual([])
  })

  it.each(['leave-out', 'wrong-user'])('differ from a truth that is spoilt by %s', (spoiling) => {
    const spoilt: Truth = tellTruth(spoil(people, spoiling))
    expect(countDifferences(judge(answers, spoilt))).toBeGreaterThan(0)
  })
})
