import { tableFromIPC } from 'apache-arrow'
import { describe, expect, it } from 'vitest'
import { basic } from '../fixtures/createService.js'
import { useService } from '../fixtures/useService.js'

const service = useService()

const ask = async (statement: string, more: object = {}) => {
  const answer = await fetch(`${service.url}/query`, {
    method: 'POST',
    headers: { authorization: basic },
    body: JSON.stringify({ statement, format: 'arrow', ...more }),
  })
  return { answer, bytes: answer.ok ? new Uint8Array(await answer.arrayBuffer()) : new Uint8Array() }
}
const read = async (statement: string, more?: object) => tableFromIPC((await ask(statement, more)).bytes)
const listOf = (values: Iterable<unknown>) => [...values]

describe('format arrow', () => {
  it('is a stream of Arrow with the types of the columns', async () => {
    const { answer, bytes } = await ask('SELECT 1 AS a')
    expect(answer.headers.get('content-type')).toBe('application/vnd.apache.arrow.stream')
    expect(answer.headers.get('x-waymark-format')).toBe('arrow')
    expect(listOf(tableFromIPC(bytes).getChild('a')!)).toEqual([1])
  })

  it.each([
    ['(-7)::TINYINT', 'Int8', -7],
    ['30000::SMALLINT', 'Int16', 30_000],
    ['(-2147483648)::INTEGER', 'Int32', -2_147_483_648],
    ['9223372036854775807::BIGINT', 'Int64', 9_223_372_036_854_775_807n],
    ['255::UTINYINT', 'Uint8', 255],
    ['65535::USMALLINT', 'Uint16', 65_535],
    ['4294967295::UINTEGER', 'Uint32', 4_294_967_295],
    ['18446744073709551615::UBIGINT', 'Uint64', 18_446_744_073_709_551_615n],
    ['0.5::FLOAT', 'Float32', 0.5],
    ["'nan'::DOUBLE", 'Float64', Number.NaN],
    ['true', 'Bool', true],
    ["'größe ✓'", 'Utf8', 'größe ✓'],
    ["DATE '1969-12-31'", 'Date32<DAY>', -86_400_000],
    ["DATE 'infinity'", 'Date32<DAY>', null],
    ["TIMESTAMP '2026-01-02 03:04:05.678'", 'Timestamp<MICROSECOND>', 1_767_323_045_678],
    ["TIMESTAMPTZ '2026-01-02 03:04:05.678+01'", 'Timestamp<MICROSECOND, UTC>', 1_767_319_445_678],
    ["TIMESTAMP_S '1969-12-31 23:59:59'", 'Timestamp<MICROSECOND>', -1000],
    ["TIMESTAMP '-infinity'", 'Timestamp<MICROSECOND>', null],
    ["'2 days'::INTERVAL", 'Utf8', '2 days'],
    ["'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::UUID", 'Utf8', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'],
    ['[1, 2]', 'Utf8', '[1,2]'],
    ["{'a': 1, 'b': 'x'}", 'Utf8', '{"a":1,"b":"x"}'],
    ['\'{"a": 1}\'::JSON', 'Utf8', '{"a": 1}'],
    ['NULL', 'Int32', null],
  ])('writes %s as %s', async (value, type, expected) => {
    // Beside it stands a NULL: the bitmap of values must not move.
    const column = (await read(`SELECT NULL AS v UNION ALL SELECT ${value} UNION ALL SELECT NULL`)).getChild(
      'v',
    )!
    expect(String(column.type)).toBe(type)
    expect(listOf(column)).toEqual([null, expected, null])
  })

  it('keeps all digits of decimals and of sums', async () => {
    const table = await read(
      'SELECT (-123456789012345678901234567890.12345)::DECIMAL(38, 5) AS d, sum(n) AS s FROM (VALUES (9223372036854775807), (1)) t(n) GROUP BY 1',
    )
    const wide = (name: string) => {
      const [lowest = 0, second = 0, third = 0, highest = 0] = table
        .getChild(name)!
        .get(0) as unknown as number[]
      const bits = [highest, third, second, lowest].reduce(
        (sum, each) => (sum << 32n) | BigInt(each >>> 0),
        0n,
      )
      return BigInt.asIntN(128, bits)
    }
    expect(String(table.getChild('d')!.type)).toMatch(/^Decimal\[38e\+?5\]$/)
    expect(wide('d')).toBe(-12_345_678_901_234_567_890_123_456_789_012_345n)
    expect(wide('s')).toBe(9_223_372_036_854_775_808n)
  })

  it('streams many rows in their order, by pages too', async () => {
    const statement = "SELECT n, CASE WHEN n % 3 > 0 THEN 'row ' || n END AS t FROM range(100000) r(n)"
    const table = await read(statement)
    expect(table.numRows).toBe(100_000)
    expect(table.getChild('n')!.get(99_999)).toBe(99_999n)
    expect(table.getChild('t')!.nullCount).toBe(33_334)
    expect(listOf(table.getChild('t')!.slice(0, 9)).map((text) => text === null)).toEqual(
      [0, 1, 2, 3, 4, 5, 6, 7, 8].map((n) => n % 3 === 0),
    )
    expect(table.getChild('t')!.get(70_000)).toBe('row 70000')
    expect(listOf((await read(statement, { limit: 2, offset: 5 })).getChild('n')!)).toEqual([5n, 6n])
  })

  it('has its columns without rows, and numbers those of one name', async () => {
    const table = await read('SELECT 1 AS a, 2 AS a WHERE false')
    expect([table.numRows, table.schema.fields.map(({ name }) => name)]).toEqual([0, ['a', 'a_1']])
  })

  it('is the same rows as the other formats give', async () => {
    const statement = "SELECT n, n / 2 AS half, 'x' || n AS text FROM range(5000) r(n) ORDER BY n DESC"
    const table = await read(statement)
    const { rows } = await service.query(statement)
    expect(table.toArray().map((row) => [Number(row.n), row.half, row.text])).toEqual(rows)
  })

  it('is a 400 for what fails at once or does not only read, and breaks for what fails late', async () => {
    expect((await ask('SELECT nothing')).answer.status).toBe(400)
    expect((await ask('CREATE TABLE t AS SELECT 1')).answer.status).toBe(400)
    const late = "SELECT CASE WHEN i = 900000 THEN error('late') ELSE i END AS v FROM range(1000000) r(i)"
    await expect(ask(late)).rejects.toThrow(/terminated/)
  })

  it('comes by GET as a file', async () => {
    const search = new URLSearchParams({ statement: 'SELECT 1 AS a', format: 'arrow' })
    const answer = await fetch(`${service.url}/query?${search}`, { headers: { authorization: basic } })
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="query.arrows"')
    expect(tableFromIPC(new Uint8Array(await answer.arrayBuffer())).numRows).toBe(1)
  })
})
