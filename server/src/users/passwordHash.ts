import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'

/** N, r and p as the OWASP cheat sheet on password storage has them for 16 MiB of memory a try. */
const usual = { cost: 2 ** 14, blockSize: 8, parallelization: 5 }
const saltBytes = 16
const keyBytes = 32

export interface PasswordHash {
  parameters: { cost: number; blockSize: number; parallelization: number }
  salt: Buffer
  key: Buffer
}

const form = /^scrypt\$(\d{1,7})\$(\d{1,2})\$(\d{1,2})\$([\w-]{16,})\$([\w-]{43})$/

const isPowerOfTwo = (value: number) => value > 1 && (value & (value - 1)) === 0
/** What one try may take. */
const maxBytes = 2 ** 28
const bytesOf = ({ cost, blockSize, parallelization }: PasswordHash['parameters']) =>
  128 * blockSize * (cost + parallelization + 2)

/** Undefined for a text that is no hash of ours, or one that takes too much memory to check. */
export const parseHash = (text: string): PasswordHash | undefined => {
  const [, cost, blockSize, parallelization, salt, key] = form.exec(text) ?? []
  if (salt === undefined || key === undefined) return undefined
  const parameters = {
    cost: Number(cost),
    blockSize: Number(blockSize),
    parallelization: Number(parallelization),
  }
  const isSound = isPowerOfTwo(parameters.cost) && parameters.blockSize > 0 && parameters.parallelization > 0
  if (!isSound || bytesOf(parameters) > maxBytes) return undefined
  return { parameters, salt: Buffer.from(salt, 'base64url'), key: Buffer.from(key, 'base64url') }
}

const derive = (password: string, { parameters, salt }: Omit<PasswordHash, 'key'>): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const options = { ...parameters, maxmem: bytesOf(parameters) + 2 ** 20 }
    scrypt(password.normalize('NFKC'), salt, keyBytes, options, (error, key) =>
      error === null ? resolve(key) : reject(error),
    )
  })

/** `scrypt$N$r$p$salt$key`, salt and key in base64url. */
export const hashPassword = async (password: string): Promise<string> => {
  const salt = randomBytes(saltBytes)
  const key = await derive(password, { parameters: usual, salt })
  const numbers = [usual.cost, usual.blockSize, usual.parallelization]
  return ['scrypt', ...numbers, salt.toString('base64url'), key.toString('base64url')].join('$')
}

export const isPasswordOf = async (password: string, hash: PasswordHash): Promise<boolean> =>
  timingSafeEqual(await derive(password, hash), hash.key)

/** Of no password; checking against it takes as long as against any other. */
export const hashOfNobody: PasswordHash = {
  parameters: usual,
  salt: Buffer.alloc(saltBytes),
  key: randomBytes(keyBytes),
}
