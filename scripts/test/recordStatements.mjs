import { createServer, connect } from 'node:net'

// A request for TLS (80877103) or GSS (80877104) has no letter before its length; neither has the first message.
const requests = new Set([80_877_103, 80_877_104])

/**
 * Reads the statements out of what a client of the Postgres protocol sends.
 * @param {(statement: string) => void} note
 * @param {() => void} decline says `N` to a request for encryption
 */
function createReader(note, decline) {
  let rest = Buffer.alloc(0)
  let hasBegun = false
  /** @param {Buffer} bytes @returns {Buffer} what the service gets of it */
  return (bytes) => {
    rest = Buffer.concat([rest, bytes])
    const passed = []
    for (;;) {
      const head = hasBegun ? 1 : 0
      const length = rest.length < head + 4 ? Infinity : head + rest.readInt32BE(head)
      if (rest.length < length) return Buffer.concat(passed)
      const message = rest.subarray(0, length)
      rest = rest.subarray(length)
      if (!hasBegun && requests.has(message.readInt32BE(4))) {
        decline()
        continue
      }
      passed.push(message)
      const kind = hasBegun ? String.fromCharCode(message[0]) : ''
      hasBegun = true
      const texts = message.toString('utf8', 5).split('\0')
      if (kind === 'Q') note(texts[0])
      if (kind === 'P') note(texts[1])
    }
  }
}

/**
 * Stands between clients and the Postgres port, without TLS, and writes down what they ask.
 * @param {string} port
 */
export async function recordStatements(port) {
  /** @type {string[]} */
  const statements = []
  const server = createServer((client) => {
    const service = connect(Number(port), '127.0.0.1')
    const read = createReader(
      (statement) => statements.push(statement),
      () => client.write('N'),
    )
    client.on('data', (bytes) => service.write(read(bytes))).on('close', () => service.destroy())
    service.pipe(client)
    for (const socket of [client, service]) socket.on('error', () => undefined)
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)))
  const address = /** @type {import('node:net').AddressInfo} */ (server.address())
  return { port: String(address.port), statements, stop: () => server.close() }
}
