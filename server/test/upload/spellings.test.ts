import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createUploads } from '../fixtures/createUploads.js'
import { rounds } from '../fixtures/share.js'
import { useService } from '../fixtures/useService.js'

const service = useService()
const { upload } = createUploads(() => service)

const create = async (file: string, more = '') => {
  const answer = await upload('made', `mode=overwrite&format=csv${more}`, file)
  expect(answer, file).toMatchObject({ status: 200 })
  return answer.body['read_as'] as { columns: { name: string; type: string }[] }
}
const texts = async () => (await service.query('SELECT COLUMNS(*)::VARCHAR FROM made')).rows

/** Spellings that are alike, so that a column of them may have a type. */
const kinds: readonly (readonly string[])[] = [
  ['true', 'false', 'True', 'TRUE', 't', 'T', 'f', 'F', 'yes', 'No', 'on', '0', '1'],
  [
    '0',
    '7',
    '-7',
    '-0',
    '+7',
    '07',
    ' 7',
    '7 ',
    '1_000',
    '0x1F',
    '0b1',
    '9223372036854775807',
    '9223372036854775808',
  ],
  ['1e5', '1E5', '10E4', '1e+05', '1E500', '1e-400', '1e+16', '5e-07', '5e-7', '0.0000005', '0.000005'],
  [
    '1',
    '1.0',
    '1.00',
    '1.5',
    '1.50',
    '-1.5',
    '.5',
    '5.',
    '0.5',
    '-0.0',
    '-0.00',
    '9007199254740993',
    '1,5',
    '1.234,5',
  ],
  ['0.1', '0.10000000000000001', '0.30000000000000004', '12345678901234567890.5', '1.7976931348623157e+308'],
  ['nan', 'NaN', 'Nan', 'inf', '-inf', 'Infinity', '1'],
  [
    '1.10',
    '2.50',
    '3.99',
    '0.00',
    '-0.01',
    '12345678901234567.89',
    '123456789012345678901234567890123456.78',
    '3.255',
  ],
  [
    '2024-01-02',
    '2024-1-2',
    '24-01-02',
    '2024/01/02',
    '0000-01-01',
    '12024-01-02',
    '2024-02-30',
    '-2024-01-02',
  ],
  ['10:00:00', '10:00', '10:00:00.5', '10:00:00.50', '10:00:00.123456789', '25:00:00', '24:00:00'],
]

/** A number in a column of fractions has a point when it comes back, and a small one an exponent: the digits are the same. */
const sameNumber = (a: string, b: string) => {
  const plain = (text: string) => text.replace(/\.0$/, '')
  const digits = (text: string) => text.replaceAll(/^-?[0.]*|\.|e.*$/g, '')
  return plain(a) === plain(b) || (a.includes('e') && digits(a) === digits(b) && Number(a) === Number(b))
}

describe('a column of a csv file', () => {
  it('has a type only when each value comes back as it was written', async () => {
    const column = fc
      .constantFrom(...kinds)
      .chain((kind) => fc.array(fc.constantFrom(...kind, ''), { minLength: 1, maxLength: 4 }))
    const file = fc.array(column, { minLength: 20, maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(file, async (columns) => {
        const length = Math.max(...columns.map((values) => values.length))
        const written = columns.map((values) =>
          Array.from({ length }, (_, n) => values[n % values.length] ?? ''),
        )
        const quote = (value: string) => (value.includes(',') ? `"${value}"` : value)
        const lines = Array.from({ length }, (_, n) =>
          [`${n}`, ...written.map((values) => quote(values[n] ?? ''))].join(','),
        )
        const names = columns.map((_, at) => `c${at}`)
        const { columns: read } = await create(`n,${names.join(',')}\n${lines.join('\n')}\n`)
        const rows = await texts()
        for (const [at, values] of written.entries()) {
          const type = read[at + 1]?.type
          const found = rows.map((row) => String(row[at + 1] ?? ''))
          const isSame = (value: string, n: number) => type === 'DOUBLE' && sameNumber(value, values[n] ?? '')
          expect(
            found.map((value, n) => (isSame(value, n) ? values[n] : value)),
            type,
          ).toEqual(values)
        }
        // Two spellings never become one value.
        const distinct = names.map((name) => `count(DISTINCT ${name})`).join(', ')
        expect((await service.query(`SELECT ${distinct} FROM made`)).rows).toEqual([
          written.map((values) => new Set(values.filter((value) => value !== '')).size),
        ])
      }),
      { numRuns: rounds(24) },
    )
  })

  it('has the type of its values, also when they come late', async () => {
    const types = [
      ['true', 'BOOLEAN'],
      ['F', 'VARCHAR'],
      ['-7', 'BIGINT'],
      ['12345678901234567890', 'HUGEINT'],
      ['1.5', 'DOUBLE'],
      ['5e-7', 'DOUBLE'],
      ['1.50', 'DECIMAL(18,2)'],
      ['2024-01-02', 'DATE'],
      ['10:00:00', 'TIME'],
      ['2024-01-02T10:00:00.500', 'TIMESTAMP'],
      ['2024-01-02 10:00:00.123456789', 'TIMESTAMP_NS'],
      ['2024-01-02T10:00:00+02:00', 'TIMESTAMP WITH TIME ZONE'],
      ['2024-01-02T10:00:00.123456789Z', 'VARCHAR'],
    ]
    const values = types.map(([value]) => value).join(',')
    const empty = ','.repeat(types.length)
    const names = types.map((_, at) => `c${at}`)
    const expected = types.map(([, type], at) => ({ name: names[at], type }))
    const file = (before: number) =>
      `${names.join(',')},n\n${`${empty}1\n`.repeat(before)}${values},1\n${empty}2\n`
    for (const before of [0, 21_000])
      expect((await create(file(before))).columns).toEqual([...expected, { name: 'n', type: 'BIGINT' }])
  })
})

describe('a csv file is read as it is written, and the answer says how:', () => {
  it.each([
    ['commas', 'a,b\n1;2,x\n', { delimiter: ',', header: true, decimal: '.' }, [['1;2', 'x']]],
    [
      'semicolons',
      'a;b\n1;x,y\n2;z\n',
      { delimiter: ';' },
      [
        ['1', 'x,y'],
        ['2', 'z'],
      ],
    ],
    ['tabs', 'a\tb\n1\tx, "y"\n', { delimiter: '\t' }, [['1', 'x, "y"']]],
    ['bars', 'a|b\n1|x\n', { delimiter: '|' }, [['1', 'x']]],
    ['a name with a comma', 'a;b, in km\n1;2\n', { delimiter: ';' }, [['1', '2']]],
    [
      'decimal commas',
      'a;b\n1,5;0,25\n2;1,5\n',
      { decimal: ',' },
      [
        ['1.5', '0.25'],
        ['2.0', '1.5'],
      ],
    ],
    ['commas of thousands, perhaps', 'a;b\n1,234;x\n', { decimal: '.' }, [['1,234', 'x']]],
    ["Excel's first line", 'sep=|\r\na|b\r\n1|x;y\r\n', { delimiter: '|' }, [['1', 'x;y']]],
    ['no delimiter', 'note; more\nx\ny\n', { delimiter: ',' }, [['x'], ['y']]],
  ])('%s', async (_, file, how, rows) => {
    expect(await create(file)).toMatchObject(how)
    expect(await texts()).toEqual(rows)
  })

  it('a first column without a name, as pandas writes it', async () => {
    expect((await create(',a\n0,x\n1,y\n')).columns.map(({ name }) => name)).toEqual(['column0', 'a'])
    expect((await create(',column0\n0,x\n')).columns.map(({ name }) => name)).toEqual(['column0_', 'column0'])
  })

  it('what the parameters say', async () => {
    expect(await create('1#x\n', '&delimiter=%23&header=false')).toMatchObject({
      delimiter: '#',
      header: false,
    })
    expect(await texts()).toEqual([['1', 'x']])
    expect(await create('a\tb;c\n1\t2\n', String.raw`&delimiter=\t`)).toMatchObject({ delimiter: '\t' })
    for (const wrong of ['delimiter=ab', 'delimiter=%22', 'delimiter=a', 'header=no'])
      expect((await upload('made', `mode=overwrite&format=csv&${wrong}`, 'a\n1\n')).status).toBe(400)
  })

  it('the same into a table that is there', async () => {
    await service.query('CREATE OR REPLACE TABLE there (n DOUBLE, t VARCHAR)')
    expect(await upload('there', 'mode=append&format=csv', 't;n\n1,5;2,5\n')).toMatchObject({ status: 200 })
    const headless = await upload('there', 'mode=upsert&primary_key=t&header=false', '7;1,5\n0,5;x\n')
    expect(headless).toMatchObject({ status: 200, body: { read_as: { decimal: ',', header: false } } })
    expect((await service.query('FROM there ORDER BY n')).rows).toEqual([
      [0.5, 'x'],
      [7, '1,5'],
    ])
    for (const file of ['n;t\n1,234;x\n', 'n;t\n1.234,5;x\n'])
      expect(await upload('there', 'mode=append&format=csv', file)).toMatchObject({ status: 400 })
    expect(await upload('there', 'mode=append&format=csv&header=false', '1\n')).toMatchObject({
      status: 400,
      body: { message: 'The file has 1 columns and no header, and the table has 2.' },
    })
  })
})
