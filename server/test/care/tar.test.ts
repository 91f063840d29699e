import { execFileSync, spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { readTar, tarEnd, tarHeader, tarPadding } from '../../src/care/tar.js'

const oneBlock = { name: 'folder/one block', body: Buffer.alloc(512, 'a') }
const entries = [
  { name: 'empty', body: Buffer.alloc(0) },
  oneBlock,
  { name: 'folder/name=ü.bin', body: Buffer.from([...Array(1000).keys()]) },
]
const tar = Buffer.concat([
  ...entries.flatMap(({ name, body }) => [
    tarHeader({ name, bytes: body.length }),
    body,
    tarPadding(body.length),
  ]),
  tarEnd,
])

/** In pieces, as a stream brings them. */
const inPieces = async function* (bytes: Buffer, length: number) {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length)
}

const readAll = async (source: AsyncIterable<Buffer>) => {
  const found = []
  for await (const { name, body } of readTar(source)) {
    const parts: Buffer[] = []
    for await (const part of body) parts.push(part)
    found.push({ name, body: Buffer.concat(parts) })
  }
  return found
}

it.each([1, 7, 512, 100_000])(
  'a tar stream is read in pieces of %i bytes as it was written',
  async (length) => {
    expect(await readAll(inPieces(tar, length))).toEqual(entries)
  },
)

it('is read by every tar', () => {
  const list = execFileSync('tar', ['--list', '--file', '-'], { input: tar }).toString()
  expect(list.split('\n').length).toBe(entries.length + 1)
  const body = execFileSync('tar', ['--extract', '--to-stdout', '--file', '-', oneBlock.name], {
    input: tar,
  })
  expect(body).toEqual(oneBlock.body)
})

it('holds files of more than 8 GiB', async () => {
  const bytes = 50 * 2 ** 30 + 1
  const header = tarHeader({ name: 'large', bytes })
  for await (const entry of readTar(inPieces(header, 512))) {
    expect(entry).toMatchObject({ name: 'large', bytes })
    break
  }
  // It lists the file, and then misses its body.
  const { stdout } = spawnSync('tar', ['--list', '--verbose', '--file', '-'], { input: header })
  expect(stdout.toString()).toContain(String(bytes))
})

it.each([100, 600, 1500, tar.length - 1200])('cut off after %i bytes it is an error', async (length) => {
  await expect(readAll(inPieces(tar.subarray(0, length), 512))).rejects.toThrow('cut off')
})

it('that is something else is an error', async () => {
  await expect(readAll(inPieces(Buffer.alloc(1024, 'x'), 512))).rejects.toThrow('no tar file')
})
