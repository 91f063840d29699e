import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'

/** N, r and p are those of the OWASP cheat sheet on password storage for 16 MiB of memory a try. */
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
/** One try may take so much memory. */
const maxBytes = 2 ** 28
const bytesOf = ({ cost, blockSize, parallelization }: PasswordHash['parameters']) =>
  128 * blockSize * (cost + parallelization + 2)

/** Undefined for a text that is not such a hash, or whose check would take too much memory. */
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

/** Makes `scrypt$N$r$p$salt$key`, with salt and key in base64url. */
export const hashPassword = async (password: string): Promise<string> => {
  const salt = randomBytes(saltBytes)
  const key = await derive(password, { parameters: usual, salt })
  const numbers = [usual.cost, usual.blockSize, usual.parallelization]
  return ['scrypt', ...numbers, salt.toString('base64url'), key.toString('base64url')].join('$')
}

export const isPasswordOf = async (password: string, hash: PasswordHash): Promise<boolean> =>
  timingSafeEqual(await derive(password, hash), hash.key)

/** No password has this hash. An unknown user is checked against it, so that the answer takes as long as for a known one. */
export const hashOfNobody: PasswordHash = {
  parameters: usual,
  salt: Buffer.alloc(saltBytes),
  key: randomBytes(keyBytes),
}
