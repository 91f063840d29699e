import { once } from 'node:events'

const types = { getTypeParser: () => (/** @type {string} */ text) => text }

/**
 * The types and texts of the first row, as a client gets them that describes what it has bound; or the code of the error and its position.
 * @param {import('pg').Client} client @param {string} sql @param {unknown[]} [values]
 */
export const askText = async (client, sql, values) => {
  try {
    const { fields, rows } = await client.query(
      /** @type {any} */ ({ text: sql, values, rowMode: 'array', types }),
    )
    return {
      names: fields.map(({ name }) => name),
      types: fields.map(({ dataTypeID }) => dataTypeID),
      row: rows[0] ?? [],
      count: rows.length,
    }
  } catch (error) {
    const { code, position } = /** @type {import('pg').DatabaseError} */ (error)
    return { error: code, position }
  }
}

/** The messages among these bytes: the letter of each, and its body. @param {Buffer} bytes */
const messagesIn = (bytes) => {
  const messages = []
  for (let at = 0; at < bytes.length;) {
    const end = at + 1 + bytes.readInt32BE(at + 1)
    messages.push({ letter: String.fromCharCode(bytes.readUInt8(at)), body: bytes.subarray(at + 5, end) })
    at = end
  }
  return messages
}

/** The types in a RowDescription. @param {Buffer} body */
const typesIn = (body) => {
  let at = 2
  return Array.from({ length: body.readInt16BE(0) }, () => {
    at = body.indexOf(0, at) + 19
    return body.readInt32BE(at - 12)
  })
}

/** The values of a DataRow, in hex. @param {Buffer} body */
const valuesIn = (body) => {
  let at = 2
  return Array.from({ length: body.readInt16BE(0) }, () => {
    const length = body.readInt32BE(at)
    at += 4 + Math.max(length, 0)
    return length < 0 ? null : body.toString('hex', at - length, at)
  })
}

let statements = 0

/**
 * The types that are told before the values are known, and the bytes of the first row that come afterwards: so do
 * asyncpg, pgx, lib/pq and tokio-postgres.
 * @param {import('pg').Client} client @param {string} sql @param {unknown[]} values
 * @returns {Promise<{ types?: number[], hex?: (string | null)[], error?: string }>}
 */
export const askBinary = async (client, sql, values) => {
  const connection = /** @type {any} */ (client).connection
  /** @type {Buffer[]} */
  const received = []
  const listen = (/** @type {Buffer} */ bytes) => received.push(bytes)
  const parsed = connection.stream.rawListeners('data')
  connection.stream.removeAllListeners('data').on('data', listen)
  const settled = async () => {
    connection.sync()
    for (;;) {
      await once(connection.stream, 'data')
      const bytes = Buffer.concat(received)
      // ReadyForQuery is the last message, of six bytes.
      if (bytes.at(-6) === 90 && bytes.readInt32BE(bytes.length - 5) === 5) return messagesIn(bytes)
    }
  }
  try {
    const name = `described ${statements++}`
    connection.parse({ name, text: sql, types: [] })
    connection.describe({ type: 'S', name })
    await settled()
    connection.bind({ statement: name, values, binary: true })
    connection.execute({ portal: '', rows: 0 })
    const messages = await settled()
    const bodyOf = (/** @type {string} */ letter) => messages.find((each) => each.letter === letter)?.body
    const [failure, described, row] = ['E', 'T', 'D'].map(bodyOf)
    if (failure !== undefined) return { error: /\0C([^\0]+)/.exec(failure.toString())?.[1] ?? '' }
    return { types: described && typesIn(described), hex: row && valuesIn(row) }
  } finally {
    connection.stream.removeAllListeners('data')
    for (const each of parsed) connection.stream.on('data', each)
  }
}
