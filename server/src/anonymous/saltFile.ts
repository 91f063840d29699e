import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { writeWhole } from '../store/writeWhole.js'
import type { SaltPlace } from './DaySalt.js'

/** The file: a day, a space, the 32 bytes of its salt in base64. */
const form = /^(\d{4}-\d\d-\d\d) ([\w+/]{43}=)$/

const read = (file: string) => {
  let text: string
  try {
    text = readFileSync(file, 'latin1')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  const [, day = '', salt = ''] = form.exec(text) ?? []
  return { day, salt: Buffer.from(salt, 'base64'), bytes: text.length }
}

/** Removes a file whose bytes shall not stay on the disk either, as far as the disk writes in place. */
const erase = (file: string, bytes: number): void => {
  const descriptor = openSync(file, 'r+')
  try {
    writeSync(descriptor, Buffer.alloc(bytes), 0, bytes, 0)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  rmSync(file)
}

/** Keeps the salt in a file of the data folder, which belongs to one process and is in no backup. */
export const saltFile = (file: string): SaltPlace => ({
  async take(day) {
    const found = read(file)
    if (found !== undefined && found.day >= day) return found.salt
    if (found !== undefined) erase(file, found.bytes)
    const salt = randomBytes(32)
    writeWhole(file, `${day} ${salt.toString('base64')}`)
    return salt
  },

  async forgetBefore(day) {
    const found = read(file)
    if (found !== undefined && found.day < day) erase(file, found.bytes)
  },
})
