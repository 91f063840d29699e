import { createHash, createHmac, pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'

/** Swallows the terminal's echo, so that the typed password is not shown. */
const noEcho = () => new Writable({ write: (_chunk, _encoding, done) => done() })

/** `waymark-server hash-password` reads one line of standard input and writes its hash to standard output. */
export const hashPasswordCommand = async (): Promise<void> => {
  const { stdin, stderr, stdout } = process
  if (stdin.isTTY) stderr.write('Password: ')
  const lines = createInterface({ input: stdin, output: noEcho(), terminal: stdin.isTTY })
  const password = await new Promise<string>((resolve) => {
    lines.once('line', resolve).once('close', () => resolve(''))
  })
  lines.close()
  if (stdin.isTTY) stderr.write('\n')
  if (password === '') {
    stderr.write('There is no password: type one, or send it as one line on standard input.\n')
    process.exitCode = 2
    return
  }
  stdout.write(`${await hashPassword(password)}\n`)
}

/**
 * A password's hash has the form in which PostgreSQL keeps one, `SCRAM-SHA-256$iterations:salt$storedKey:serverKey`.
 * A client of the Postgres protocol can then show by SCRAM that it knows the password without sending it, and by HTTP
 * the password itself is compared.
 */
export interface PasswordHash {
  iterations: number
  salt: Buffer
  storedKey: Buffer
  serverKey: Buffer
}

/** The most that every driver takes: node `pg` refuses a server that asks for more rounds by SCRAM. */
const slow = 100_000
/** Enough where the hash lies in memory beside the password, and the least that RFC 7677 allows. */
export const quick = 4096
/** One try takes no longer than half a second. */
const mostIterations = 2_000_000
export const saltBytes = 16
const keyBytes = 32

const form = /^SCRAM-SHA-256\$(\d{4,7}):([A-Za-z\d+/]{16,88}={0,2})\$([A-Za-z\d+/]{43}=):([A-Za-z\d+/]{43}=)$/

/** Undefined for a text that is not such a hash, or whose check would be too quick or too slow. */
export const parseHash = (text: string): PasswordHash | undefined => {
  const [, count, ...parts] = form.exec(text) ?? []
  const iterations = Number(count)
  if (!(iterations >= quick && iterations <= mostIterations)) return undefined
  const [salt, storedKey, serverKey] = parts.map((each) => Buffer.from(each, 'base64'))
  return { iterations, salt: salt!, storedKey: storedKey!, serverKey: serverKey! }
}

/** What RFC 4013 (SASLprep) makes of a password; clients do the same before they show that they know it. */
const prepare = (password: string): string =>
  password
    .replaceAll(/[\u00a0\u1680\u2000-\u200b\u202f\u205f\u3000]/g, ' ')
    .replaceAll(/\u00ad|\u1806|\u180b|\u180c|\u180d|\u200c|\u200d|\u2060|[\ufe00-\ufe0f]|\ufeff/g, '')
    .normalize('NFKC')

export const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()
export const sha256 = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest()

const derive = async (password: string, salt: Buffer, iterations: number): Promise<PasswordHash> => {
  const salted = await new Promise<Buffer>((resolve, reject) => {
    pbkdf2(prepare(password), salt, iterations, keyBytes, 'sha256', (error, key) =>
      error === null ? resolve(key) : reject(error),
    )
  })
  const storedKey = sha256(hmac(salted, 'Client Key'))
  return { iterations, salt, storedKey, serverKey: hmac(salted, 'Server Key') }
}

/** Makes the text of a hash, for a file. */
export const hashPassword = async (password: string, iterations = slow): Promise<string> => {
  const { salt, storedKey, serverKey } = await derive(password, randomBytes(saltBytes), iterations)
  const [inSalt, stored, server] = [salt, storedKey, serverKey].map((each) => each.toString('base64'))
  return `SCRAM-SHA-256$${iterations}:${inSalt}$${stored}:${server}`
}

/** The hash of a password that this process knows anyway. */
export const quickHash = (password: string): Promise<PasswordHash> =>
  derive(password, randomBytes(saltBytes), quick)

export const isPasswordOf = async (password: string, hash: PasswordHash): Promise<boolean> =>
  timingSafeEqual((await derive(password, hash.salt, hash.iterations)).storedKey, hash.storedKey)

/** No password has this hash. An unknown user is checked against it, so that the answer is like that for a known one. */
export const hashOfNobody = (salt: Buffer, iterations: number): PasswordHash => ({
  iterations,
  salt: salt.subarray(0, saltBytes),
  storedKey: randomBytes(keyBytes),
  serverKey: randomBytes(keyBytes),
})
