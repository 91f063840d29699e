import { createCipheriv, randomInt, timingSafeEqual, type Cipher } from 'node:crypto'

interface TaskRows {
  /** The number of the log. */
  log: number
  /** The sequence of the task's last row. */
  last: number
}

/** The number of no log: a task of it was completed before its id was given. */
const noLog = 255

const form = /^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/i

/**
 * A task id holds the position of the task's rows and a signature. So no list of tasks has to be kept, and a task is
 * known after a restart, too: it is completed once its log has been applied up to that position. The bytes have the
 * form of a version 8 UUID:
 *
 * | offset | length | meaning |
 * |---|---|---|
 * | 0 | 6 | the sequence of the task's last row, big-endian |
 * | 6 | 1 | the UUID's version in 4 bits, then 4 bits of the signature |
 * | 7 | 1 | the number of the log; 255 where the task was completed when its id was given, whose sequence is chance |
 * | 8 | 8 | the UUID's variant in 2 bits, then 62 bits of the signature |
 *
 * The signature is AES-256 of the block that holds only sequence and number.
 * Check: an id counts when signing its sequence and number again gives the same bytes.
 */
export class TaskIds {
  readonly #cipher: Cipher
  /** The block that is signed; its memory is used again for each id. */
  readonly #block = Buffer.alloc(16)

  constructor(secret: Buffer) {
    // Every id signs exactly one block, so the block cipher alone is a safe signature. It takes a fifth of the time of
    // an HMAC.
    this.#cipher = createCipheriv('aes-256-ecb', secret, null).setAutoPadding(false)
  }

  issue(rows: TaskRows): string {
    const hex = this.#sign(rows).toString('hex')
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
  }

  /** An id of a task that is completed. */
  issueDone(): string {
    return this.issue({ log: noLog, last: randomInt(2 ** 48 - 1) })
  }

  /** Whether a task was completed when its id was given. */
  static isDone({ log }: TaskRows): boolean {
    return log === noLog
  }

  /** Undefined for an id that this store did not issue. */
  read(taskId: string): TaskRows | undefined {
    if (!form.test(taskId)) return undefined
    const bytes = Buffer.from(taskId.replaceAll('-', ''), 'hex')
    const rows = { log: bytes[7]!, last: bytes.readUIntBE(0, 6) }
    return timingSafeEqual(this.#sign(rows), bytes) ? rows : undefined
  }

  #sign({ log, last }: TaskRows): Buffer {
    const bytes = this.#block.fill(0)
    bytes.writeUIntBE(last, 0, 6)
    bytes[7] = log
    const mac = this.#cipher.update(bytes)
    mac.copy(bytes, 8, 0, 8)
    bytes[6] = 0x80 | (mac[8]! & 0x0f)
    bytes[8] = 0x80 | (bytes[8]! & 0x3f)
    return bytes
  }
}
