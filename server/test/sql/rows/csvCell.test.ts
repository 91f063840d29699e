import { expect, it } from 'vitest'
import { useService } from '../../fixtures/useService.js'

const service = useService()

/** Texts, and what a spreadsheet may be given of them. */
const formulas = [
  ['=1+1', "'=1+1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['-2+3', "'-2+3"],
  ['+cmd|x', "'+cmd|x"],
  ['\t=1', "'\t=1"],
  ['＝1+1', "'＝1+1"],
  ['=HYPERLINK("x")', `"'=HYPERLINK(""x"")"`],
  ['-5', '-5'],
  ['a=1', 'a=1'],
  ['', '""'],
] as const

it('csv is exact by default, and with escape_formulas no cell is a formula', async () => {
  const values = formulas.map(([text], at) => `(${at}, '${text}')`).join(', ')
  const read = `SELECT t AS "=A1", -n AS minus, encode('=1') AS b FROM (VALUES ${values}) v (n, t) WHERE n < 9 ORDER BY n`
  const exact = await service.download(read, { format: 'csv' })
  expect(exact.bytes.toString()).toContain('=A1,minus,b\n=1+1,0,=1\n')
  const { bytes } = await service.download(read, { format: 'csv', escape_formulas: true })
  const lines = formulas.slice(0, 9).map(([, cell], at) => `${cell},${at === 0 ? '' : '-'}${at},'=1\n`)
  expect(bytes.toString()).toBe(`'=A1,minus,b\n${lines.join('')}`)
  await service.query('CREATE TABLE formulas (t VARCHAR)')
  const change = `INSERT INTO formulas VALUES ${formulas.map(([text]) => `('${text}')`).join(', ')} RETURNING t AS "=A1"`
  const back = await service.download(change, { format: 'csv', escape_formulas: true })
  expect(back.bytes.toString()).toBe(`'=A1\n${formulas.map(([, cell]) => `${cell}\n`).join('')}`)
})

it('refuses escape_formulas for other formats', async () => {
  expect(await service.query('SELECT 1', { format: 'jsonl', escape_formulas: true })).toMatchObject({
    status: 400,
    error: { error: 'invalid-request', message: expect.stringContaining('csv') },
  })
})
