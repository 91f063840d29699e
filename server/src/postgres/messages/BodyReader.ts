import { ProtocolError, sqlState } from '../ProtocolError.js'

/**
 * Reads the fields of a message from a client, one after the other. pg-protocol's own reader cannot be
 * used: it trusts its server, and takes a field that is cut off for a whole one.
 */
export class BodyReader {
  readonly #body: Buffer
  #at = 0

  constructor(body: Buffer) {
    this.#body = body
  }

  int16(): number {
    return this.bytes(2).readInt16BE()
  }

  /** Reads how many items follow. An item has at least two bytes, so a count above half the bytes left is wrong. */
  count(): number {
    const count = this.bytes(2).readUInt16BE()
    if (2 * count > this.#body.length - this.#at) throw cutOff()
    return count
  }

  int32(): number {
    return this.bytes(4).readInt32BE()
  }

  letter(): string {
    return String.fromCharCode(this.bytes(1)[0]!)
  }

  text(): string {
    const end = this.#body.indexOf(0, this.#at)
    if (end < 0) throw cutOff()
    const text = this.#body.toString('utf8', this.#at, end)
    this.#at = end + 1
    return text
  }

  bytes(length: number): Buffer {
    if (length < 0 || this.#at + length > this.#body.length) throw cutOff()
    this.#at += length
    return this.#body.subarray(this.#at - length, this.#at)
  }
}

const cutOff = () => new ProtocolError(sqlState.protocolViolation, 'A message ends before its fields do.')
