import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { crc32, deflateRawSync } from 'node:zlib'
import type { ImportState } from '../../src/history/Imports.js'
import type { Report } from '../../src/history/readProcess.js'
import { basic, type Service } from '../fixtures/createService.js'

export const sample = (name: string): Buffer => readFileSync(new URL(`samples/${name}`, import.meta.url))

export type State = ImportState & { report: Report }

type Sends = Pick<Service, 'send'>

const ask = (service: Sends, method: string, path: string, body?: string | Buffer) =>
  service.send(method, path, body, { authorization: basic })

/** Waits until the import neither reads nor stores. */
export const settled = async (service: Sends): Promise<State> => {
  for (;;) {
    const { body } = await ask(service, 'GET', '/history')
    const state = body['import'] as State
    if (!['receiving', 'reading', 'importing'].includes(state.state)) return state
    await delay(10)
  }
}

/** Sends a file; gives what an import would do, or why it cannot be read. */
export const tryOut = async (
  service: Sends,
  source: string,
  file: string | Buffer,
  more: Record<string, string> = {},
): Promise<State> => {
  const search = new URLSearchParams({ source, ...more }).toString()
  const { status, body } = await ask(service, 'POST', `/history?${search}`, Buffer.from(file))
  if (status !== 200) throw new Error(`${status}: ${String(body['message'])}`)
  return settled(service)
}

/** Sends a file and imports it. */
export const bring = async (...given: Parameters<typeof tryOut>): Promise<State> => {
  const [service] = given
  const read = await tryOut(...given)
  if (read.state !== 'ready') throw new Error(read.message ?? read.state)
  await ask(service, 'POST', '/history/start', '')
  return settled(service)
}

export const undo = (service: Sends, imported: string) =>
  ask(service, 'POST', '/history/undo', JSON.stringify({ imported }))

/** A zip of some files. */
export const zipOf = (files: Readonly<Record<string, string | Buffer>>): Buffer => {
  const parts: Buffer[] = []
  const list: Buffer[] = []
  let at = 0
  for (const [name, content] of Object.entries(files)) {
    const bytes = Buffer.from(content)
    const packed = deflateRawSync(bytes)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(8, 4)
    common.writeUInt32LE(crc32(bytes), 10)
    common.writeUInt32LE(packed.length, 14)
    common.writeUInt32LE(bytes.length, 18)
    common.writeUInt16LE(Buffer.byteLength(name), 22)
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE(at, 10)
    parts.push(Buffer.from('PK\u0003\u0004'), common, Buffer.from(name), packed)
    list.push(Buffer.from('PK\u0001\u0002\u0014\u0000', 'latin1'), common, tail, Buffer.from(name))
    at += 30 + Buffer.byteLength(name) + packed.length
  }
  const directory = Buffer.concat(list)
  const end = Buffer.alloc(22)
  end.write('PK\u0005\u0006', 'latin1')
  end.writeUInt16LE(Object.keys(files).length, 8)
  end.writeUInt16LE(Object.keys(files).length, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(at, 16)
  return Buffer.concat([...parts, directory, end])
}
