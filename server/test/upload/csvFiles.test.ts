import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createUploads } from '../fixtures/createUploads.js'
import { useService } from '../fixtures/useService.js'
import { rounds } from '../fixtures/share.js'

const service = useService()
const { upload, all } = createUploads(() => service)

const create = async (file: string | Buffer) => {
  await service.query('DROP TABLE IF EXISTS made')
  return upload('made', 'mode=create&format=csv', file)
}

describe('a csv file', () => {
  it.each([
    ['LF', 'a,b\n1,2\n3,4\n'],
    ['CRLF', 'a,b\r\n1,2\r\n3,4\r\n'],
    ['CR', 'a,b\r1,2\r3,4\r'],
    ['all of them', 'a,b\r\n1,2\n3,4\r'],
    ['LF, then CRLF', 'a,b\n1,2\r\n3,4\n'],
    ['none at its end', 'a,b\r\n1,2\n3,4'],
    ['blank lines between', 'a,b\n\n1,2\r\n\r\n3,4\n\n'],
  ])('may have line ends of any kind: %s', async (_, file) => {
    expect(await create(file)).toMatchObject({ status: 200, body: { rows: 2 } })
    expect(await all('made')).toEqual([
      [1, 2],
      [3, 4],
    ])
  })

  it('keeps the line ends within quotes as they are', async () => {
    expect((await create('a,b\r\n1,"x\r\ny"\n2,"u\nv"\r\n3,"p\rq"\n')).status).toBe(200)
    expect(await all('made')).toEqual([
      [1, 'x\r\ny'],
      [2, 'u\nv'],
      [3, 'p\rq'],
    ])
  })

  it('may begin with a byte order mark', async () => {
    expect((await create('\uFEFFa,b\r\n1,2\n')).status).toBe(200)
    expect((await service.query('SELECT a, b FROM made')).rows).toEqual([[1, 2]])
  })

  it('may have one column, with rows that hold nothing', async () => {
    expect((await create('a\r\n1\n\n2\n')).status).toBe(200)
    expect(await all('made')).toEqual([[1], [2], [null]])
  })

  it('may hold a header and no rows', async () => {
    expect(await create('a,"b ""c""",d\n')).toMatchObject({ status: 200, body: { rows: 0 } })
    expect((await service.query('DESCRIBE made')).rows.map(([name]) => name)).toEqual(['a', 'b "c"', 'd'])
  })

  it('may have a header of several lines', async () => {
    expect((await create('"a\nb",c\r\n1,2\n')).status).toBe(200)
    expect((await service.query('DESCRIBE made')).rows.map(([name]) => name)).toEqual(['a\nb', 'c'])
  })

  it('may have quotes within a field that has none around it', async () => {
    expect((await create('a,b\n1,5" pipe\n2,6" pipe\r\n')).status).toBe(200)
    expect(await all('made')).toEqual([
      [1, '5" pipe'],
      [2, '6" pipe'],
    ])
  })

  it.each([
    ['a,b\n1\n2,3,4\n', 'Row 2 has 1 fields where the header, which is row 1, has 2.'],
    ['a,b\n1,2\n3\n', 'Row 3 has 1 fields'],
    ['a,b\n1,2\r\n3,4,5\n', 'Row 3 has 3 fields'],
    ['a,b\n1,2,\n', 'Row 2 has 3 fields where the header, which is row 1, has 2.'],
    ['a,b\n1,"2",""\n3,4\n', 'Row 2 has 3 fields'],
    ['a,b\r\n"",2\r\n3,4,,', 'Row 3 has 4 fields'],
    ['a,b\n1,"x\n', 'ends within quotes'],
    ['a,a,b\n1,2,3\n', 'names "a" more than once'],
    ['a,b,A,B\n1,2,3,4\n', 'names "A", "B" more than once'],
    ['a,,b\n1,2,3\n', 'no name for column 2'],
    ['a,"",b,\n1,2,3,4\n', 'no name for columns 2, 4'],
    ['\n', 'no name for column 1'],
    ['\na\n1\n', 'no name for column 1'],
    ['a\0b\n1\n', 'U+0000'],
    ['"a"b,c\n1,2\n', 'Row 1 has a quote within a field'],
    // Excel's line is a row of the file, too.
    ['sep=,\na,b\n1\n2,3,4\n', 'Row 3 has 1 fields where the header, which is row 2, has 2.'],
    ['sep=,\n"a"b,c\n1,2\n', 'Row 2 has a quote within a field'],
    ['', 'The file is empty.'],
    ['\uFEFF', 'The file is empty.'],
  ])('is refused in one sentence that says where: %j', async (file, named) => {
    const answer = await create(file)
    expect(answer).toMatchObject({ status: 400, body: { message: expect.stringContaining(named) } })
    expect(String(answer.body['message'])).not.toMatch(/sniff|dialect|fixes|\n/)
    expect((await service.query('FROM made')).status).toBe(400)
  })

  it('is refused for a row that is too long, by its number', async () => {
    for (const [start, row] of [
      ['', 2],
      ['sep=,\n', 3],
    ])
      expect(await create(`${start}a\n${'x'.repeat(2_000_001)}\n`)).toMatchObject({
        status: 400,
        body: { message: expect.stringContaining(`Row ${row} has more than 2,000,000 bytes`) },
      })
  })

  it('is read the same into a table that is there', async () => {
    await service.query('CREATE TABLE there (b VARCHAR, a INT)')
    expect((await upload('there', 'mode=append&format=csv', 'a,b\r\n1,"x\r\n"\n2,y\n')).status).toBe(200)
    expect(await all('there', 'a')).toEqual([
      ['x\r\n', 1],
      ['y', 2],
    ])
    expect(await upload('there', 'mode=append&format=csv', 'a,b\n1\n')).toMatchObject({
      body: { message: expect.stringContaining('Row 2 has 1 fields') },
    })
  })

  it('comes back as it was, whatever its fields hold and its lines end with', async () => {
    const text = fc.string({
      unit: fc.constantFrom('a', '1', ' ', ',', '"', '\n', '\r', '😀', 'ß'),
      maxLength: 6,
    })
    const lines = fc.array(fc.tuple(text, text, fc.constantFrom('\n', '\r\n', '\r')), {
      minLength: 1,
      maxLength: 24,
    })
    await service.query('CREATE TABLE any_text (n INT, a VARCHAR, b VARCHAR)')
    const quote = (field: string) => `"${field.replaceAll('"', '""')}"`
    await fc.assert(
      fc.asyncProperty(lines, fc.constantFrom('\n', '\r\n', '\r'), async (rows, end) => {
        await service.query('TRUNCATE any_text')
        const file = rows.map(([a, b, own], n) => `${n},${quote(a)},${quote(b)}${own}`)
        const answer = await upload('any_text', 'mode=append&format=csv', `n,a,b${end}${file.join('')}`)
        expect(answer.status, JSON.stringify(answer.body)).toBe(200)
        expect(await all('any_text', 'n')).toEqual(rows.map(([a, b], n) => [n, a, b]))
      }),
      { numRuns: rounds(20) },
    )
  })
})
