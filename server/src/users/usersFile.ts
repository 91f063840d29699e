import { readFileSync } from 'node:fs'
import { compileSchema } from '../http/compileSchema.js'
import { OperatorError } from '../OperatorError.js'
import type { UserRole } from './Identity.js'
import { parseHash } from './passwordHash.js'

/** The users in `--users-file`, by name. */
export type ListedUsers = Record<string, { password: string; role: UserRole }>

const isShaped = compileSchema<ListedUsers>({
  type: 'object',
  additionalProperties: {
    type: 'object',
    required: ['password', 'role'],
    additionalProperties: false,
    properties: { password: { type: 'string' }, role: { enum: ['read', 'write'] } },
  },
})

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (error) {
    // V8's message quotes the text around the mistake, which may be a hash, so it is left out.
    throw new Error('it is not JSON', { cause: error })
  }
}

const check = (value: unknown): ListedUsers => {
  if (!isShaped(value)) {
    const [error] = isShaped.errors ?? []
    const path = error?.instancePath.slice(1).replaceAll('~1', '/').replaceAll('~0', '~')
    throw new Error(
      `${path || 'it'} ${error?.message}; each user reads { "password": "SCRAM-SHA-256$…", "role": "read" or "write" }`,
    )
  }
  for (const [name, { password }] of Object.entries(value)) {
    if (name === '' || name.includes(':')) {
      throw new Error(
        `the name ${JSON.stringify(name)} is empty or has a colon, which HTTP Basic cannot send`,
      )
    }
    if (parseHash(password) === undefined) {
      throw new Error(`the password of ${name} is not a hash; make one by waymark-server hash-password`)
    }
  }
  return value
}

/** Reads the users file. Throws an OperatorError that says what is wrong with it. */
export const readUsersFile = (path: string): ListedUsers => {
  try {
    return check(parse(readFileSync(path, 'utf8')))
  } catch (error) {
    throw new OperatorError(`The users file ${path} cannot be used: ${(error as Error).message}.`)
  }
}
