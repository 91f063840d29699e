import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { basic } from '../fixtures/createService.js'
import { createUploads } from '../fixtures/createUploads.js'
import { useService } from '../fixtures/useService.js'

const service = useService()
const { send, upload, all } = createUploads(() => service)

const gzip = { 'content-encoding': 'gzip' }
const isMissing = async (table: string) => expect((await service.query(`FROM ${table}`)).status).toBe(400)

describe('a file under Content-Encoding: gzip', () => {
  it('is unpacked', async () => {
    const answer = await upload('packed', 'mode=create&format=csv', gzipSync('a\r\n1\n2\n'), gzip)
    expect(answer).toMatchObject({ status: 200, body: { rows: 2 } })
    expect(await all('packed')).toEqual([[1], [2]])
  })

  it('is unpacked before its format is looked for', async () => {
    const answer = await upload('packed_json', 'mode=create', gzipSync('[{"a":1}]'), gzip)
    expect(answer).toMatchObject({ status: 200, body: { format: 'json' } })
  })

  it('may be of several parts, one behind the other', async () => {
    const file = Buffer.concat([gzipSync('a\n1\n'), gzipSync('2\n')])
    await upload('members', 'mode=create&format=csv', file, gzip)
    expect(await all('members')).toEqual([[1], [2]])
  })

  it.each([
    ['cut off', gzipSync('a\n1\n').subarray(0, 15)],
    ['without its end', gzipSync('a\n1\n').subarray(0, -4)],
    ['no gzip', Buffer.from('a\n1\n')],
  ])('is refused when it is %s', async (_, file) => {
    const answer = await upload('damaged', 'mode=create&format=csv', file, gzip)
    expect(answer).toMatchObject({ status: 400, body: { message: expect.stringContaining('gzip data') } })
    await isMissing('damaged')
  })

  it('is refused when it is a bomb, and leaves nothing on the disk', async () => {
    const bomb = gzipSync(Buffer.concat([Buffer.from('a\n'), Buffer.alloc(300_000_000, '1\n')]))
    expect(bomb.length).toBeLessThan(1_000_000)
    const answer = await upload('bomb', 'mode=create&format=csv', bomb, gzip)
    expect(answer).toMatchObject({ status: 413, body: { error: 'body-too-dense' } })
    await isMissing('bomb')
    expect(readdirSync(join(service.folder, 'spool'))).toEqual([])
  })

  it('may shrink as much as it likes while it is small', async () => {
    const rows = 5_000_000
    const answer = await upload('dense', 'mode=create&format=csv', gzipSync(`a\n${'1\n'.repeat(rows)}`), gzip)
    expect(answer).toMatchObject({ status: 200, body: { rows } })
  })

  it.each(['br', 'gzip, gzip', 'deflate'])('is refused when it is %s instead', async (encoding) => {
    const answer = await upload('other', 'mode=create&format=csv', 'a\n1\n', { 'content-encoding': encoding })
    expect(answer).toMatchObject({ status: 400, body: { message: expect.stringContaining(`"${encoding}"`) } })
  })

  it('that says nothing of it is told how to say so', async () => {
    const answer = await upload('silent', 'mode=create&format=csv', gzipSync('a\n1\n'))
    expect(answer).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('Content-Encoding: gzip') },
    })
  })
})

describe('a file in a form', () => {
  const post = async (table: string, form: FormData, more = 'mode=create') => {
    const response = await fetch(
      `${service.url}/upload?catalog=lakehouse&schema=main&table=${table}&${more}`,
      { method: 'POST', headers: { authorization: basic }, body: form },
    )
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
  const formOf = (...files: [name: string, type: string, content: string][]) => {
    const form = new FormData()
    for (const [name, type, content] of files) form.append('file', new Blob([content], { type }), name)
    return form
  }

  it('is read, and its own type says what it is', async () => {
    const answer = await post('form', formOf(['a.csv', 'text/csv', 'a,b\r\n1,"x\ny"\n']))
    expect(answer).toMatchObject({ status: 200, body: { format: 'csv', rows: 1 } })
    expect(await all('form')).toEqual([[1, 'x\ny']])
  })

  it('may be large', async () => {
    const answer = await post('form_large', formOf(['a.csv', '', `a\n${'12345\n'.repeat(500_000)}`]))
    expect(answer).toMatchObject({ status: 200, body: { rows: 500_000 } })
  })

  it.each([
    ['two files', formOf(['a.csv', 'text/csv', 'a\n1\n'], ['b.csv', 'text/csv', 'a\n2\n'])],
    [
      'two files, the first of them large',
      formOf(['a', '', `a\n${'1\n'.repeat(500_000)}`], ['b', '', 'a\n']),
    ],
    ['none', new FormData()],
  ])('is refused where there are %s', async (_, form) => {
    const answer = await post('form_refused', form)
    expect(answer).toMatchObject({ status: 400, body: { message: expect.stringContaining('one file') } })
    await isMissing('form_refused')
  })

  it('is refused where there are fields beside it, which are named', async () => {
    const form = formOf(['a.csv', 'text/csv', 'a\n1\n'])
    form.append('mode', 'append')
    expect(await post('form_field', form)).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('the field "mode"') },
    })
    await isMissing('form_field')
  })

  it.each([
    ['multipart/form-data', 'x'],
    ['multipart/form-data; boundary=b', ''],
    ['multipart/form-data; boundary=b', 'no form at all'],
    [
      'multipart/form-data; boundary=b',
      '--b\r\ncontent-disposition: form-data; name="f"; filename="a.csv"\r\n\r\na\n1\n',
    ],
  ])('is refused when it is not whole: %s %j', async (type, body) => {
    const answer = await upload('form_broken', 'mode=create&format=csv', body, { 'content-type': type })
    expect(answer).toMatchObject({ status: 400, body: { message: expect.stringContaining('form') } })
    await isMissing('form_broken')
  })

  it('may be packed as a whole', async () => {
    const body =
      '--b\r\ncontent-disposition: form-data; name="f"; filename="a.csv"\r\n\r\na\n1\n\r\n--b--\r\n'
    const headers = { ...gzip, 'content-type': 'multipart/form-data; boundary=b' }
    expect((await upload('form_packed', 'mode=create&format=csv', gzipSync(body), headers)).status).toBe(200)
    expect(await all('form_packed')).toEqual([[1]])
  })
})

describe('a file whose bytes say something else than its sender', () => {
  const html = '<!doctype html>\n<html><body>Not found, sorry</body></html>\n'
  it.each([
    ['format=parquet', {}, html, 'not parquet: it begins like HTML'],
    ['', { 'content-type': 'application/parquet' }, html, 'not parquet: it begins like HTML'],
    [
      '',
      { 'content-type': 'application/vnd.apache.parquet' },
      'a,b\n1,2\n',
      'not parquet: it begins like csv',
    ],
    ['', {}, html, 'not csv: it begins like HTML'],
    ['format=csv', {}, `\n ${html}`, 'not csv: it begins like HTML'],
    ['format=json', {}, 'a,b\n1,2\n', 'not json: it begins like csv'],
    ['format=csv', {}, 'PAR1xxxxPAR1', 'not csv: it begins like parquet'],
    ['format=csv', {}, 'PK\u0003\u0004xxxx', 'begins like zip'],
    ['format=parquet', {}, 'PAR1 and no more', 'its end is missing'],
    ['format=csv', {}, Buffer.from('\ufeffa,b\n', 'utf16le'), 'begins like UTF-16'],
    ['format=csv', {}, Buffer.from('a,b\n1,2\n', 'utf16le'), 'begins like UTF-16'],
    ['format=json', {}, Buffer.from('[{"a":1}]', 'utf16le').swap16(), 'begins like UTF-16'],
    ['format=csv', {}, Buffer.from('d0cf11e0a1b11ae1', 'hex'), 'begins like a spreadsheet'],
    ['format=csv', {}, 'ARROW1\0\0', 'begins like Arrow'],
    ['format=csv', {}, 'BZh91AY&SY', 'begins like bzip2'],
  ])('is refused: ?%s %j %#', async (more, headers, file, named) => {
    const answer = await upload('never', `mode=create&${more}`, file, headers)
    expect(answer).toMatchObject({ status: 400, body: { message: expect.stringContaining(named) } })
    await isMissing('never')
  })

  it.each([
    ['application/x-ndjson', '{"a":1}\n', 'json'],
    ['text/csv; charset=utf-8', 'a\n1\n', 'csv'],
    ['application/x-www-form-urlencoded', 'a\n1\n', 'csv'],
    ['text/plain', '[{"a":1}]', 'json'],
  ])('is taken where %s says no other', async (type, file, format) => {
    const answer = await upload('typed', 'mode=overwrite', file, { 'content-type': type })
    expect(answer).toMatchObject({ status: 200, body: { format } })
  })

  it('may be a csv file that begins with a bracket', async () => {
    const answer = await upload('bracket', 'mode=create&format=csv', '[a],b\n1,2\n')
    expect(answer).toMatchObject({ status: 200, body: { format: 'csv' } })
  })
})

it('an upload that is refused before its end gets the answer, and the next one is taken', async () => {
  const file = Buffer.concat([Buffer.from('a,a\n'), Buffer.alloc(20_000_000, '1,2\n')])
  const form = new FormData()
  form.append('x', 'y')
  form.append('file', new Blob([file]))
  const refused = await fetch(`${service.url}/upload?catalog=lakehouse&schema=main&table=t&mode=create`, {
    method: 'POST',
    headers: { authorization: basic },
    body: form,
  })
  expect(refused.status).toBe(400)
  expect((await send('/upload?catalog=lakehouse&schema=main&table=t&mode=create', 'a\n1\n')).status).toBe(200)
})
