import { beforeAll, describe, expect, it } from 'vitest'
import type { Answer } from '../../src/answers/Answer.js'
import { answers, readAsk, statementOf as toStatement } from '../../src/answers/answers.js'
import { queryFields } from '../../src/answers/answerRoutes.js'
import { funnel, funnelPeople } from '../../src/answers/macros/funnel.js'
import { askRaw } from '../fixtures/askRaw.js'
import { basic, type Body } from '../fixtures/createService.js'
import { seedShop } from '../fixtures/seedShop.js'
import { useService } from '../fixtures/useService.js'

const service = useService()

beforeAll(async () => {
  await seedShop(service)
  await service.ask('/saved', { kind: 'goal', name: 'An order', value: { event: 'Order Placed' } })
})

const post = async (body: Body, headers: Record<string, string> = {}) => {
  const answer = await askRaw(service.url, { method: 'POST', path: '/answer', headers, body })
  const lines = answer.body.split('\n').filter(Boolean)
  return { ...answer, lines, json: (at: number) => JSON.parse(lines[at] ?? '') as Body }
}
const rowsOf = async (body: Body) => {
  const { status, lines } = await post(body)
  expect([body, status, lines[0]]).toEqual([body, 200, expect.any(String)])
  return lines.slice(2).map((line) => JSON.parse(line) as unknown[])
}
const statementOf = async (body: Body) => String((await post({ ...body, dry: true })).json(0)['statement'])
const refusal = async (body: Body) => {
  const { status, json } = await post(body)
  return [status, String(json(0)['message'])] as const
}

const exampleOf = ({ name, example }: Answer): Body => ({ name, ...example })
const all: readonly (readonly [string, Answer])[] = answers.map((each) => [each.name, each])
const withWhere = all.filter(([, { parameters }]) => 'where' in parameters)

const everybody = { field: 'person_id', operator: 'not', values: ['nobody'] }

describe('POST /answer', () => {
  it.each(all)('%s tells its columns, and what its statement answers by /query', async (_, answer) => {
    const asked = exampleOf(answer)
    const { status, json } = await post({ ...asked, columns: 'labels' })
    expect([status, json(1)]).toEqual([200, answer.columns])
    const statement = await statementOf(asked)
    expect(json(0)['statement']).toBe(statement)
    expect((await service.query(statement)).rows).toEqual(await rowsOf(asked))
  })

  it.each(withWhere)('%s of a segment of everybody is the answer without one', async (name, answer) => {
    const asked = exampleOf(answer)
    // A macro has also the days without any event.
    const isTold = (row: unknown[]) => !['series', 'daily'].includes(name) || row.at(-1) !== 0
    const whole = (await rowsOf(asked)).filter(isTold)
    expect(await rowsOf({ ...asked, where: [everybody] })).toEqual(whole)
  })

  it.each(withWhere)('%s takes conditions on events, sessions and persons', async (_, answer) => {
    const where = [
      { field: 'event', operator: 'contains', values: ['%'] },
      { field: 'path', operator: 'is', values: ['/'] },
      { field: 'channel', operator: 'out', values: ['', "it's"] },
      { field: 'device', operator: 'not', values: [''] },
      { field: 'prop.theme', operator: 'in', values: ['dark', ''] },
      { field: 'trait.plan', operator: 'is', values: ['pro'] },
    ]
    await rowsOf({ ...exampleOf(answer), where })
  })

  it.each([
    ['funnel', { steps: ['/', 'Order Placed'] }, 3],
    ['retention', { unit: 'day' }, 1],
    ['paths', {}, 3],
  ])('%s is of the people of a segment', async (name, given, of) => {
    const where = [{ field: 'trait.plan', operator: 'is', values: ['pro'] }]
    const rows = await rowsOf({ name, ...given, where })
    const macro = {
      funnel: "['/', 'Order Placed'], INTERVAL 7 DAY,",
      retention: "NULL, NULL, 'day',",
      paths: '',
    }
    const call = (people: string) => `FROM ${name}(${macro[name as keyof typeof macro]} among := ${people})`
    expect(rows).toEqual((await service.query(call("['user-4']"))).rows)
    expect(rows[0]?.[of]).toBe(name === 'paths' ? 2 : 1)
    const nobody = [{ field: 'event', operator: 'is', values: ['never'] }]
    expect(await rowsOf({ name, ...given, where: nobody })).toEqual((await service.query(call('[]'))).rows)
  })

  describe('of a value as people write it', () => {
    const environment = 'staging'
    beforeAll(async () => {
      const agent = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:145.0) Gecko/20100101 Firefox/145.0'
      const send = (person: string, zone: string, languages: string, events: Body[]) =>
        service.ingest(
          '/track?sync=true',
          events.map(({ event, ...properties }) => ({
            ...{ environment, event, distinct_id: person, session_id: person, timestamp: Date.now() },
            properties: { browser_time_zone: zone, ...properties },
          })),
          { 'user-agent': agent, 'accept-language': languages },
        )
      await send('ann', 'Europe/Berlin', 'de-AT', [
        { event: 'Order Placed', total: 20, Plan: 'Pro', $device: 'phone', $utm_source: 'Mail' },
      ])
      await send('ben', 'Europe/London', 'en', [
        { event: 'Order Placed', total: 100, Plan: 'free' },
        ...['none', 'nan', 'Infinity', '-inf'].map((total) => ({ event: 'Order Placed', total })),
      ])
      await send('Ann', '', '', [{ event: 'Viewed', total: 7.5, 'Said "so"': 1 }])
      await service.ingest('/identify?sync=true', [
        { environment, distinct_id: 'ann', traits: { email: 'Ann@Example.org' }, timestamp: Date.now() },
      ])
    })
    const whoOf = async (condition: string) => {
      const [, field = '', operator = '', values = ''] = /^(\S+) (\S+) (.*)$/.exec(condition)!
      const where = [{ field, operator, values: values.split(' & ') }]
      const rows = await rowsOf({ name: 'explore', environment, measure: 'events', by: 'person_id', where })
      return rows
        .map(([who, events]) => `${String(who)} ${String(events)}`)
        .toSorted()
        .join(', ')
    }
    it.each([
      ['event is order placed', 'ann 1, ben 5'],
      ['prop.Plan is PRO', 'ann 1'],
      ['prop.Plan not PRO', 'Ann 1, ben 5'],
      ['prop.Plan in pro & FREE', 'ann 1, ben 1'],
      ['device is Mobile', 'ann 1'],
      ['country is germany', 'ann 1'],
      ['country is gb', 'ben 5'],
      ['country contains united', 'ben 5'],
      ['country contains Ted', 'ben 5'],
      ['country contains ', 'ann 1, ben 5'],
      ['country not Germany', 'Ann 1, ben 5'],
      ['language is German (Austria)', 'ann 1'],
      ['language is english', 'ben 5'],
      ['language contains german', 'ann 1'],
      ['utm_source is mail', 'ann 1'],
      ['trait.email is ann@example.ORG', 'ann 1'],
      ['prop.total above 20', 'ben 1'],
      ['prop.total at_least 20', 'ann 1, ben 1'],
      ['prop.total below 20', 'Ann 1'],
      ['prop.total at_most 20', 'Ann 1, ann 1'],
      ['prop.total between 7.5 & 20', 'Ann 1, ann 1'],
      // Another id is somebody else.
      ['person_id is ANN', ''],
      ['person_id is Ann', 'Ann 1'],
    ])('finds by %s', async (condition, found) => {
      expect(await whoOf(condition)).toBe(found)
    })

    it('looks for the names of countries before it asks, and not once for each row', async () => {
      const where = [{ field: 'country', operator: 'contains', values: ['united'] }]
      expect(await statementOf({ name: 'totals', where })).not.toContain('list_position')
    })

    it('finds a property by a part of its name as it is, and by no value', async () => {
      const asked = { name: 'property_choices', environment }
      expect(await rowsOf({ ...asked, search: 'said "' })).toEqual([['Said "so"', 1]])
      expect(await rowsOf({ ...asked, search: 'none' })).toEqual([])
    })

    it('adds up what is a finite number alone', async () => {
      const asked = { name: 'explore', environment, measure: 'sum', property: 'total', by: 'event' }
      expect((await rowsOf(asked)).map((row) => row.slice(0, 2))).toEqual([
        ['Order Placed', 120],
        ['Viewed', 7.5],
      ])
    })

    it.each([
      ['order placd', 'event', ['Order Placed']],
      ['ORDER', 'event', ['Order Placed']],
      ['phnoe', 'device', ['phone']],
      ['mobile', 'device', ['phone']],
      ['Germny', 'country', ['DE']],
      ['german', 'language', ['de-AT']],
      ['pro', 'prop.Plan', ['Pro']],
      ['ann@exampel.org', 'trait.email', ['Ann@Example.org']],
      ['nothing of the kind', 'event', []],
    ])('tells what may be meant by %s', async (search, field, values) => {
      const rows = await rowsOf({ name: 'value_choices', environment, field, search })
      expect(rows.map(([value]) => value)).toEqual(values)
    })
  })

  it('tells no path that few of the people of a segment took, also where events of another name pick them', async () => {
    const where = [{ field: 'event', operator: 'is', values: ['Order Placed'] }]
    const pathsOf = async (fewest: number) =>
      (await service.query(toStatement(readAsk({ name: 'paths', where }), fewest))).rows
    expect(await pathsOf(1)).toEqual(await rowsOf({ name: 'paths', where }))
    expect(await pathsOf(1)).not.toEqual([])
    expect(await pathsOf(4)).toEqual([])
  })

  it('counts of a funnel step only the events that its own conditions leave', async () => {
    const step_where = [[], [{ field: 'prop.price', operator: 'above', values: ['13'] }]]
    const asked = { steps: ['/', 'Order Placed'], step_where, within_hours: 1 }
    const ordered = (await rowsOf({ name: 'funnel', ...asked, step_where: [] })).map((row) => row[3])
    expect(ordered).toEqual([12, 3])
    // The first of the three visitors pays 12.50.
    expect((await rowsOf({ name: 'funnel', ...asked })).map((row) => row[3])).toEqual([12, 2])
    expect(await rowsOf({ name: 'funnel_people', ...asked, step: 2 })).toHaveLength(2)
  })

  it.each<[string, Body]>([
    [
      'step_where/1/0',
      {
        name: 'funnel',
        steps: ['/', 'a'],
        step_where: [[], [{ field: 'path', operator: 'above', values: ['x'] }]],
      },
    ],
    ['name', {}],
    ['"nothing"', { name: 'nothing' }],
    ['"constructor"', { name: 'constructor' }],
    ['"__proto__"', { name: '__proto__' }],
    ['name', { name: ['totals'] }],
    ['"form"', { name: 'totals', form: '2026-10-01' }],
    ['"toString"', { name: 'totals', toString: 1 }],
    ['from must be a moment', { name: 'totals', from: 'yesterday' }],
    ['from must be a moment', { name: 'totals', from: '2026-02-31' }],
    ['from must be a moment', { name: 'totals', from: "2026-01-01' OR true --" }],
    ['before.until', { name: 'totals', before: { from: '2026-01-01', until: 'x' } }],
    ['before', { name: 'totals', before: { from: '2026-01-01' } }],
    ['steps', { name: 'funnel' }],
    ['steps', { name: 'funnel', steps: 'a' }],
    ['steps', { name: 'funnel', steps: [] }],
    ['steps/1', { name: 'funnel', steps: ['a', 1] }],
    [
      'unit must be equal to one of the allowed values (day, week, month)',
      { name: 'retention', unit: 'year' },
    ],
    ['bots', { name: 'totals', bots: 'true' }],
    ['environment', { name: 'totals', environment: null }],
    ['environment', { name: 'totals', environment: ['production'] }],
    ['most', { name: 'ranking', by: 'channel', most: 1.5 }],
    ['most', { name: 'ranking', by: 'channel', most: 0 }],
    ['by', { name: 'ranking', by: 'person_id' }],
    ['"distinct_id"', { name: 'explore', by: 'distinct_id' }],
    ['by must not be a trait', { name: 'explore', by: 'trait.plan' }],
    ['property must be given', { name: 'explore', measure: 'sum' }],
    ['where', { name: 'totals', where: 'x' }],
    ['where/0', { name: 'totals', where: [{ field: 'path' }] }],
    ['where/0/operator', { name: 'totals', where: [{ field: 'path', operator: 'or', values: ['x'] }] }],
    [
      'where: there is no field "url',
      { name: 'totals', where: [{ field: 'url" = 1 --', operator: 'is', values: [''] }] },
    ],
    ...(
      [
        ['nothing stands before', { join: 'or' }],
        ['behind what people did', {}, { join: 'with' }],
        ['times, days and after', { times: 2 }],
        ['times, days and after', { after: '' }],
        ['values must be a number', { operator: 'above' }],
        ['values must be two numbers', { operator: 'between', values: ['1'] }],
        ['times, days and after', { operator: 'did' }],
        ['after must have days', { field: 'event', operator: 'did', after: '' }],
        ['page_views must be compared with numbers', { field: 'page_views' }],
        ['a field of events', { field: 'event', operator: 'did' }, { field: 'entry', join: 'with' }],
      ] as const
    ).map(([named, ...where]): [string, Body] => [
      named,
      {
        name: 'totals',
        where: where.map((each) => ({ field: 'path', operator: 'is', values: ['x'], ...each })),
      },
    ]),
    ['format', { name: 'totals', format: 'xml' }],
    ['timezone', { name: 'daily', timezone: 'Nowhere' }],
  ])('names %s when that is wrong', async (named, body) => {
    const [status, message] = await refusal(body)
    expect([status, message]).toEqual([400, expect.stringContaining(named)])
  })

  it('takes no text for a part of the statement', async () => {
    const breakout = "x'), (SELECT 1)) UNION ALL SELECT person_id FROM persons --\0"
    for (const answer of answers) {
      const { parameters } = answer
      for (const [name, { schema }] of Object.entries(parameters)) {
        if (schema['enum'] ?? name === 'goal') continue
        const isList = schema['type'] === 'array' && name !== 'where'
        if (!isList && schema['type'] !== 'string') continue
        const { status, body } = await post({
          ...exampleOf(answer),
          [name]: isList ? [breakout] : breakout,
        })
        expect(body).not.toMatch(/anonymous-\d|Parser Error/)
        expect([200, 400]).toContain(status)
      }
    }
  })

  it('answers in each format, a part of the rows, and a file by GET', async () => {
    const asked = { name: 'ranking', by: 'browser' }
    const csv = await post({ ...asked, format: 'csv', limit: 1 })
    expect(csv.headers['content-type']).toContain('text/csv')
    expect(csv.lines).toHaveLength(2)
    expect((await post({ ...asked, format: 'parquet' })).body.startsWith('PAR1')).toBe(true)
    const search = new URLSearchParams({ ask: JSON.stringify(asked), format: 'csv', file_name: 'Browsers' })
    const path = `/answer?${search}`
    const file = await askRaw(service.url, { path, method: 'GET' })
    expect(file.headers['content-disposition']).toBe('attachment; filename="Browsers.csv"')
    expect(file.body.split('\n').slice(0, 2)).toEqual(csv.lines)
    expect((await askRaw(service.url, { path, method: 'HEAD' })).headers['content-type']).toContain(
      'text/csv',
    )
    for (const wrong of [
      'ask=x',
      'ask=[]',
      'format=csv',
      'ask=%7B%22name%22%3A%22x%22%7D',
      `${search}&more=1`,
    ])
      expect((await askRaw(service.url, { path: `/answer?${wrong}`, method: 'GET' })).status).toBe(400)
  })

  it('counts days where they begin, for the macro and for DuckDB', async () => {
    const zone = { name: 'daily', timezone: 'Pacific/Kiritimati' }
    expect(await rowsOf({ ...zone, where: [everybody] })).toEqual(
      (await rowsOf(zone)).filter(([, , , , events]) => events !== 0),
    )
  })

  it('takes null where there may be none, and not for the usual value', async () => {
    expect(await statementOf({ name: 'people' })).toContain('LIMIT 50')
    expect(await statementOf({ name: 'people', most: null })).not.toContain('LIMIT 50')
  })

  it('is a query: of the log, of the cache, and for whoever may read', async () => {
    const query_id = '01234567-89ab-4def-8123-456789abcdef'
    const first = await post({ name: 'totals', query_id })
    expect(first.headers['x-query-id']).toBe(query_id)
    await post({ name: 'totals' })
    const again = (await post({ name: 'totals' })).headers['x-query-id'] ?? ''
    const log = (id: string) => service.send('GET', `/query/${id}`, undefined, { authorization: basic })
    expect((await log(query_id)).body).toMatchObject({ query: await statementOf({ name: 'totals' }) })
    expect((await log(again)).body).toMatchObject({ stats: { caching: { data_hits: 1 } } })

    for (const authorization of ['', 'Bearer x'])
      expect((await post({ name: 'totals' }, { authorization })).status).toBe(401)
    const foreign = { origin: 'https://evil.example' }
    expect((await post({ name: 'totals' }, foreign)).status).toBe(403)
  })

  it('has no parameter whose name is a field of a query, but the time zone, which is both', () => {
    for (const { name, parameters } of answers) {
      const taken = Object.keys(parameters).filter((each) => Object.hasOwn(queryFields, each))
      expect([name, taken.filter((each) => each !== 'timezone')]).toEqual([name, []])
      for (const reserved of ['name', 'dry', 'ask']) expect(parameters).not.toHaveProperty(reserved)
    }
    expect(new Set(answers.map(({ name }) => name)).size).toBe(answers.length)
  })
})

it.each([funnel, funnelPeople])('$name has its lists of events in few places', (macro) => {
  // DuckDB plans the statements in an argument wherever its name stands: ten steps were planned 26 times.
  const places = macro.tables.flatMap(([, sql]) => sql.match(/\bstep_events\b/g) ?? [])
  expect(places.length).toBeLessThanOrEqual(5)
})

it('web vitals begin with the page that costs most, and end with those of few measurements', async () => {
  const pages = [
    ['/rare', 9000, 29],
    ['/often', 3000, 90],
    ['/slow', 5000, 40],
    ['/good', 1000, 200],
    ['/middle', 2600, 60],
  ] as const
  const events = pages.flatMap(([path, value, count]) =>
    Array.from({ length: count }, (_, at) => ({
      ...{ environment: 'staging', event: 'Web Vital', anonymous_id: `of-${path}` },
      properties: { $url: `https://shop.example${path}`, name: 'LCP', value, id: `v5-${path}-${at}` },
    })),
  )
  expect((await service.ingest('/track?sync=true', events)).status).toBe(200)
  const rows = await rowsOf({ name: 'vitals_by_page', environment: 'staging', bots: true })
  const ofAll = rows.filter(([, device]) => device === 'all').map(([path, , p75]) => [path, p75])
  // 40 times as far as good again; 90 times a fifth; 60 times a twenty-fifth; and nothing.
  expect(ofAll).toEqual([
    ['/slow', 5000],
    ['/often', 3000],
    ['/middle', 2600],
    ['/good', 1000],
    ['/rare', 9000],
  ])
})
