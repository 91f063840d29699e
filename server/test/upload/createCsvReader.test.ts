import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createCsvReader } from '../../src/upload/createCsvReader.js'

const read = (chunks: readonly Buffer[]) => {
  const reader = createCsvReader({ start: Buffer.concat(chunks), isWhole: false, delimiter: ',' })
  const text = Buffer.concat(chunks.map((chunk) => reader.feed(chunk))).toString('latin1')
  return { text, ...reader.end() }
}

it('reads a file the same in whatever parts it comes', () => {
  const filled = ['1,2', '"x\r\ny",2', ',', '"",""', '"a""b",c', '5" pipe,x']
  const line = fc.constantFrom(...filled, '')
  const end = fc.constantFrom('\n', '\r\n', '\r')
  fc.assert(
    fc.property(fc.array(fc.tuple(line, end)), fc.array(fc.nat(60)), (lines, cuts) => {
      const file = `a,"b\r""c"\r\n${lines.map((parts) => parts.join('')).join('')}`
      const chunks: Buffer[] = []
      let at = 0
      for (const cut of cuts) chunks.push(Buffer.from(file.slice(at, (at += cut))))
      chunks.push(Buffer.from(file.slice(at)))
      const whole = read([Buffer.from(file)])
      expect(read(chunks)).toEqual(whole)
      expect(whole.names).toEqual(['a', 'b\r"c'])
      expect(whole.rows).toBe(lines.filter(([text]) => text !== '').length)
      // Nothing but line ends outside of quotes has changed.
      const outside = (text: string) => text.replaceAll(/"(?:[^"]|"")*"(?=[,\r\n]|$)/g, 'q')
      expect(outside(whole.text)).toBe(outside(file).replaceAll(/\r\n|\r/g, '\n'))
    }),
  )
})

it('names the first row with an empty field too many, in whatever parts the file comes', () => {
  const good = fc.constantFrom('1,2', '"x\r\ny",2', ',', '"",""', '1,')
  const bad = fc.constantFrom('1,2,', ',,', '1,,,', '"",2,""', '"x",2,')
  const end = fc.constantFrom('\n', '\r\n', '\r')
  const cuts = fc.array(fc.nat(30))
  fc.assert(
    fc.property(fc.array(good), bad, fc.array(good), end, cuts, (before, wrong, behind, lineEnd, at) => {
      const file = ['a,b', ...before, wrong, ...behind].join(lineEnd)
      const chunks = at.map((cut, n) => {
        const from = at.slice(0, n).reduce((sum, each) => sum + each, 0)
        return Buffer.from(file.slice(from, from + cut))
      })
      chunks.push(Buffer.from(file.slice(at.reduce((sum, each) => sum + each, 0))))
      expect(() => read(chunks)).toThrow(`Row ${before.length + 2} has ${wrong.split(',').length} fields`)
    }),
  )
})

it.each([
  ['id,lat;lon\n1,52.1;13.4\n2,48.1;11.6\n', true, ','],
  ['id\tlat;lon\n1\t52.1;13.4\n', true, ';'],
  ['a;b\n1,5;2,5\n3,5;4,5\n', true, ';'],
  ['a;b, in km\n1;2\n', true, ';'],
  ['1,5;2,5\n3,5;4,5\n', false, ';'],
  ['1,2\n3,4\n', false, ','],
])('finds the delimiter of %j, with a header: %s', (file, header, delimiter) => {
  const reader = createCsvReader({ start: Buffer.from(file), isWhole: true, header })
  reader.feed(Buffer.from(file))
  expect(reader.end().dialect).toMatchObject({ delimiter, header })
})

it('refuses a header that does not end', () => {
  const reader = createCsvReader({ start: Buffer.alloc(0), isWhole: false })
  expect(() => reader.feed(Buffer.alloc(1_100_000, 'a'))).toThrow('longer than 1 MiB')
})
