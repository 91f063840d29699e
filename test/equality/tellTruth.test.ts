import { describe, expect, it } from 'vitest'
// @ts-expect-error Plain JavaScript.
import { tellTruth as tell } from '../../e2e/equality/truth/tellTruth.mjs'
import type { Deed, Device, Step, Truth } from '../../e2e/equality/types'

const minuteMs = 60_000
const start = Date.UTC(2026, 2, 2, 12)
const phone: Device = {
  id: 'p/phone',
  isKilled: false,
  consent: 'granted',
  gpc: false,
  isCrossOrigin: false,
  hasCampaign: true,
  isBot: false,
}

/** What is true of one person, whose steps come at these minutes. */
const tellOf = (
  deeds: [minute: number, deed: Deed, device?: string][],
  devices: Device[] = [phone],
): Truth => {
  const steps = deeds.map(([minute, deed, device = 'p/phone'], index): Step => ({
    id: `p.${index + 1}`,
    device,
    tab: 1,
    clock: start + minute * minuteMs,
    deed,
  }))
  return tell([{ id: 'p', story: 'test', about: '', devices, steps }]) as Truth
}
const visit = (path = '/'): Deed => ({ kind: 'visit', path })
const call = (...calls: Extract<Deed, { kind: 'call' }>['calls']): Deed => ({ kind: 'call', calls })
const marks = ({ events }: Truth) => events.map(({ mark }) => mark)
const sessions = ({ events }: Truth) => new Set(events.map(({ session }) => session)).size
const people = ({ events, personOf }: Truth) => events.map(({ visitor }) => personOf(visitor))

describe('what people did', () => {
  it('marks page views by their page and how often it was seen, calls by their step', () => {
    const truth = tellOf([
      [0, visit('/a')],
      [4, call(['track', 'One'], ['track', 'Two'])],
      [8, { kind: 'link', path: '/b' }],
      [12, { kind: 'back' }],
      [16, { kind: 'reload' }],
      [20, { kind: 'forward' }],
    ])
    expect(marks(truth)).toEqual(['p.1#1', 'p.2/0', 'p.2/1', 'p.3#1', 'p.1#2', 'p.1#3', 'p.3#2'])
    expect(truth.events.at(-1)?.path).toBe('/b')
  })

  it('begins a session after 30 minutes without an event', () => {
    expect(
      sessions(
        tellOf([
          [0, visit()],
          [29, visit()],
          [58, visit()],
        ]),
      ),
    ).toBe(1)
    expect(
      sessions(
        tellOf([
          [0, visit()],
          [30, visit()],
        ]),
      ),
    ).toBe(2)
  })

  it('begins a session after 24 hours, however busy it was', () => {
    const day = Array.from({ length: 60 }, (): [['track', string], ['wait', number]] => [
      ['track', 'Again'],
      ['wait', 25],
    ]).flat()
    expect(
      sessions(
        tellOf([
          [0, visit()],
          [4, call(...day)],
        ]),
      ),
    ).toBe(2)
  })

  it('begins a session when the clock is set back by more than a minute', () => {
    expect(
      sessions(
        tellOf([
          [0, visit()],
          [-1, visit()],
        ]),
      ),
    ).toBe(1)
    expect(
      sessions(
        tellOf([
          [0, visit()],
          [-2, visit()],
        ]),
      ),
    ).toBe(2)
  })

  it('does not count an identify as an event of the session', () => {
    expect(
      sessions(
        tellOf([
          [0, visit()],
          [20, call(['identify', 'ada'])],
          [40, visit()],
        ]),
      ),
    ).toBe(2)
  })

  it('gives what a visitor did before the login to the user, and what comes after the sign-out to nobody', () => {
    const truth = tellOf([
      [0, visit()],
      [4, call(['identify', 'ada'])],
      [8, visit()],
      [12, call(['reset'])],
      [16, visit()],
    ])
    expect(people(truth)).toEqual(['ada', 'ada', 'p/phone/visitor-1'])
  })

  it('keeps two users of one device apart, signed out in between or not', () => {
    const truth = tellOf([
      [0, visit()],
      [4, call(['identify', 'ada'])],
      [8, call(['identify', 'bob'], ['track', 'Bob'])],
      [12, call(['reset'], ['identify', 'ada'], ['track', 'Ada'])],
    ])
    expect(people(truth)).toEqual(['ada', 'bob', 'ada'])
  })

  it('makes one person of two devices by the login on both', () => {
    const laptop = { ...phone, id: 'p/laptop' }
    const truth = tellOf(
      [
        [0, visit()],
        [4, visit(), 'p/laptop'],
        [8, call(['identify', 'ada']), 'p/laptop'],
        [12, call(['identify', 'ada'])],
      ],
      [phone, laptop],
    )
    expect(people(truth)).toEqual(['ada', 'ada'])
  })

  it('gives a person the name that an alias gave last', () => {
    const truth = tellOf([
      [0, visit()],
      [4, call(['identify', 'old'], ['alias', 'new'])],
      [8, call(['alias', 'newest'])],
    ])
    expect(people(truth)).toEqual(['newest'])
  })

  it('records what waited for a consent, but not of a page that was left without a choice', () => {
    const truth = tellOf(
      [
        [0, visit('/left')],
        [4, { kind: 'link', path: '/chosen' }],
        [44, call(['track', 'Later'], ['setConsent', 'granted'])],
      ],
      [{ ...phone, consent: 'pending' }],
    )
    expect(marks(truth)).toEqual(['p.2#1', 'p.3/0'])
    expect(sessions(truth)).toBe(2)
  })

  it('records nothing of who refuses, until he agrees, and then somebody new', () => {
    const truth = tellOf([
      [0, visit()],
      [4, call(['setConsent', 'denied'], ['track', 'Never'])],
      [8, visit()],
      [12, call(['setConsent', 'granted'], ['track', 'Now'])],
    ])
    expect(people(truth)).toEqual(['p/phone/visitor-0', 'p/phone/visitor-1'])
  })

  it('records nothing under Global Privacy Control', () => {
    expect(tellOf([[0, visit()]], [{ ...phone, gpc: true }]).events).toEqual([])
  })

  it('carries a campaign through its session, and not into the next', () => {
    const utm = { source: 'news' }
    const truth = tellOf([
      [0, { kind: 'visit', path: '/', utm }],
      [4, { kind: 'link', path: '/b' }],
      [60, visit()],
    ])
    expect(truth.events.map((event) => event.utm)).toEqual([utm, utm, {}])
  })

  it('has a campaign on the page with its address alone where no plugin keeps it', () => {
    const utm = { source: 'news' }
    const deeds: [number, Deed][] = [
      [0, { kind: 'visit', path: '/', utm }],
      [4, call(['track', 'One'])],
      [8, { kind: 'link', path: '/b' }],
      [12, { kind: 'back' }],
    ]
    const truth = tellOf(deeds, [{ ...phone, hasCampaign: false }])
    expect(truth.events.map((event) => event.utm)).toEqual([utm, utm, {}, utm])
    expect(truth.events.map(({ registered }) => registered)).toEqual([{}, {}, {}, {}])
  })

  it('takes the campaign of the address again where a later session has none', () => {
    const utm = { source: 'news' }
    const truth = tellOf([
      [0, { kind: 'visit', path: '/', utm }],
      [60, call(['track', 'Later'])],
    ])
    expect(truth.events.map(({ registered }) => registered)).toEqual([utm, {}])
    expect(truth.events.map((event) => event.utm)).toEqual([utm, utm])
  })
})
