import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createUploads } from '../fixtures/createUploads.js'
import { useService } from '../fixtures/useService.js'
import { rounds } from '../fixtures/share.js'

const service = useService()
const { send, upload, upsert, all } = createUploads(() => service)

describe('POST /upsert', () => {
  it('makes a table that is missing, with one row for each key', async () => {
    const answer = await upsert('fresh', 'primary_key=id', 'id,v\n1,a\n2,b\n1,c\n')
    expect(answer).toMatchObject({ status: 200, body: { ok: true, mode: 'upsert', rows: 3 } })
    expect(await all('fresh')).toEqual([
      [1, 'c'],
      [2, 'b'],
    ])
  })

  it('matches rows by all columns of a key', async () => {
    await upload('pairs', 'mode=create&format=csv', 'a,b,v\n1,1,x\n1,2,y\n')
    await upsert('pairs', 'primary_key=a,b', 'a,b,v\n1,2,Y\n2,1,z\n')
    expect(await all('pairs')).toEqual([
      [1, 1, 'x'],
      [1, 2, 'Y'],
      [2, 1, 'z'],
    ])
  })

  it('takes blanks behind the commas of a key, and names in any case', async () => {
    await upsert('spaced', `primary_key=${encodeURIComponent('A, b')}`, 'a,B,v\n1,1,x\n1,1,y\n')
    expect(await all('spaced')).toEqual([[1, 1, 'y']])
  })

  it('takes a name with a comma for what it is', async () => {
    await upsert('comma', `primary_key=${encodeURIComponent('a,b')}`, '"a,b",a,b\n1,1,1\n1,2,2\n')
    expect(await all('comma')).toEqual([[1, 2, 2]])
  })

  it('keeps the row with the greater cursor, wherever it stands', async () => {
    await upload(
      'cursors',
      'mode=create&format=csv',
      'id,seen,v\n1,2024-01-02,held\n2,2024-01-02,held\n3,,held\n',
    )
    const file =
      'id,seen,v\n1,2024-01-01,stale\n2,2024-01-03,new\n2,2024-01-02,late\n3,2024-01-01,new\n4,,first\n'
    expect((await upsert('cursors', 'primary_key=id&cursor_field=seen', file)).status).toBe(200)
    expect(await all('cursors')).toEqual([
      [1, '2024-01-02', 'held'],
      [2, '2024-01-03', 'new'],
      [3, '2024-01-01', 'new'],
      [4, null, 'first'],
    ])
  })

  it('keeps the row that is greater in the first column of the cursor that differs', async () => {
    await upload(
      'cursor_pairs',
      'mode=create&format=csv',
      'id,day,n,v\n1,5,2,held\n2,5,2,held\n3,5,2,held\n4,5,,held\n5,,9,held\n',
    )
    const file =
      'id,day,n,v\n1,5,1,stale\n2,5,3,new\n3,4,9,stale\n4,5,0,new\n5,1,,new\n6,2,1,late\n6,2,2,last\n6,1,9,late\n'
    const params = 'primary_key=id&cursor_field=day,n'
    expect((await upsert('cursor_pairs', params, file)).status).toBe(200)
    expect(await all('cursor_pairs')).toEqual([
      [1, 5, 2, 'held'],
      [2, 5, 3, 'new'],
      [3, 5, 2, 'held'],
      [4, 5, 0, 'new'],
      [5, 1, null, 'new'],
      [6, 2, 2, 'last'],
    ])
  })

  it('lets the later row win where cursors are equal, and a row without one lose', async () => {
    await upload('ties', 'mode=create&format=csv', 'id,seen,v\n1,5,held\n2,5,held\n')
    await upsert('ties', 'primary_key=id&cursor_field=seen', 'id,seen,v\n1,5,first\n1,5,last\n2,,none\n')
    expect(await all('ties')).toEqual([
      [1, 5, 'last'],
      [2, 5, 'held'],
    ])
  })

  it('compares cursors as the type of the column, not as text', async () => {
    await service.query('CREATE TABLE typed (id VARCHAR, seen INT, v VARCHAR)')
    await service.query(`INSERT INTO typed VALUES ('a', 9, 'held')`)
    await upsert('typed', 'primary_key=id&cursor_field=seen', 'id,seen,v\na,10,new\n')
    expect(await all('typed')).toEqual([['a', 10, 'new']])
  })

  it('leaves columns alone that the file lacks', async () => {
    await upload('wide', 'mode=create&format=csv', 'id,v,w\n1,a,b\n')
    await upsert('wide', 'primary_key=id', 'id,v\n1,A\n2,B\n')
    expect(await all('wide')).toEqual([
      [1, 'A', 'b'],
      [2, 'B', null],
    ])
  })

  it('adds the new keys of a file that holds nothing but keys', async () => {
    await upsert('keys_only', 'primary_key=a,b', 'a,b\n1,1\n')
    expect((await upsert('keys_only', 'primary_key=a,b', 'a,b\n1,1\n1,2\n')).status).toBe(200)
    expect(await all('keys_only')).toEqual([
      [1, 1],
      [1, 2],
    ])
  })

  it.each([
    ['primary_key=a,nope', 'no column "nope"'],
    ['primary_key=a,a', 'twice'],
    ['primary_key=a,', 'no column ""'],
    ['primary_key=a&cursor_field=nope', 'no column "nope"'],
    ['cursor_field=a', 'primary_key is missing'],
    ['primary_key=a&curser_field=a', 'no parameter "curser_field"'],
    ['primary_key=a&primary_key=b', '"primary_key" comes twice'],
    ['primary_key=a&mode=append', 'mode must be one of upsert, create_append'],
  ])('refuses ?%s and names what is wrong', async (more, named) => {
    const answer = await upsert('never', more, 'a,b\n1,1\n')
    expect(answer).toMatchObject({ status: 400, body: { message: expect.stringContaining(named) } })
    expect((await service.query('FROM never')).status).toBe(400)
  })

  it('refuses rows that lack a part of their key, and takes none of the others', async () => {
    await upsert('parts', 'primary_key=a,b', 'a,b\n1,1\n')
    const answer = await upsert('parts', 'primary_key=a,b', 'a,b\n2,2\n1,\n')
    expect(answer).toMatchObject({
      status: 400,
      body: { message: '1 rows have no value in the primary key a, b.' },
    })
    expect(await all('parts')).toEqual([[1, 1]])
  })
})

describe('POST /upload with mode=create_append', () => {
  it('makes the table, and then adds to it', async () => {
    for (const n of [1, 2]) {
      const answer = await upload('grown', 'mode=create_append&format=csv', `n\n${n}\n`)
      expect(answer).toMatchObject({ status: 200, body: { mode: 'create_append' } })
    }
    expect(await all('grown')).toEqual([[1], [2]])
  })

  it('matches rows where it has a key', async () => {
    for (const v of ['a', 'b']) {
      await upload('grown_keyed', 'mode=create_append&format=csv&primary_key=id', `id,v\n1,${v}\n`)
    }
    expect(await all('grown_keyed')).toEqual([[1, 'b']])
  })

  it('is what /upsert may be told too', async () => {
    for (const v of ['a', 'b']) await upsert('told', 'mode=create_append&primary_key=id', `id,v\n1,${v}\n`)
    expect(await all('told')).toEqual([[1, 'b']])
  })
})

describe('the parameters of POST /upload', () => {
  it.each([
    ['mode=append&format=csv&primary_key=a', 'primary_key goes with mode=upsert or create_append'],
    ['mode=create_append&format=csv&cursor_field=a', 'cursor_field needs a primary_key'],
    ['mode=create&format=csv&quote=;', 'no parameter "quote"'],
    ['mode=create&format=csv&mode=append', '"mode" comes twice'],
  ])('are refused where they mean nothing: ?%s', async (more, named) => {
    const answer = await upload('never', more, 'a\n1\n')
    expect(answer).toMatchObject({ status: 400, body: { message: expect.stringContaining(named) } })
  })

  it('of csv files are refused beside another', async () => {
    expect(await upload('never', 'mode=create&header=true', '{"a":1}')).toMatchObject({
      status: 400,
      body: { message: 'header goes with csv files, and this one is read as json.' },
    })
  })

  it('are named without cutting a character in half', async () => {
    const name = `${'x'.repeat(59)}😀y`
    const { body } = await send(`/upload?${encodeURIComponent(name)}=1`, 'a\n1\n')
    expect(body['message']).toContain(`"${'x'.repeat(59)}😀…"`)
  })
})

interface Row {
  a: number
  b: string
  seen: number | null
  v: number
}

/** What an upsert has to leave, in the simplest words. */
const model = (held: Map<string, Row>, file: readonly Row[], withCursor: boolean) => {
  for (const row of file) {
    const key = JSON.stringify([row.a, row.b])
    const old = held.get(key)
    const isOlder = withCursor && old !== undefined && (row.seen ?? -Infinity) < (old.seen ?? -Infinity)
    if (!isOlder) held.set(key, row)
  }
}

const rowOf = fc.record({
  a: fc.integer({ min: 0, max: 2 }),
  b: fc.constantFrom('', 'x', 'X', '1', '01'),
  seen: fc.option(fc.integer({ min: -2, max: 3 })),
  v: fc.nat(999),
})
const written = {
  csv: (rows: readonly Row[]) =>
    `a,b,seen,v\n${rows.map(({ a, b, seen, v }) => `${a},"${b}",${seen ?? ''},${v}\n`).join('')}`,
  json: (rows: readonly Row[]) => rows.map((row) => JSON.stringify(row)).join('\n'),
}

it('keeps what a plain model keeps, whatever files come in whatever order', async () => {
  let tables = 0
  const files = fc.array(fc.array(rowOf, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(
      files,
      fc.boolean(),
      fc.constantFrom('csv' as const, 'json' as const),
      async (all_, withCursor, format) => {
        const table = `model_${tables++}`
        await service.query(`CREATE TABLE ${table} (a INT, b VARCHAR, seen INT, v INT)`)
        const held = new Map<string, Row>()
        for (const rows of all_) {
          const key = `primary_key=a,b${withCursor ? '&cursor_field=seen' : ''}`
          const answer = await upsert(table, `${key}&format=${format}`, written[format](rows))
          expect(answer.status, JSON.stringify(answer.body)).toBe(200)
          model(held, rows, withCursor)
        }
        const expected = [...held.values()]
          .map(({ a, b, seen, v }) => JSON.stringify([a, b, seen, v]))
          .toSorted()
        const found = (await all(table)).map((row) => JSON.stringify(row)).toSorted()
        expect(found).toEqual(expected)
        await service.query(`DROP TABLE ${table}`)
      },
    ),
    { numRuns: rounds(25) },
  )
})
