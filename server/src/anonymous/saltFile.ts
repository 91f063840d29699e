import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { writeWhole } from '../store/writeWhole.js'
import type { SaltDays, SaltPlace } from './DaySalt.js'

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

const isOfOne = (days: SaltDays, { day }: { day: string }) => day === days.today || day === days.tomorrow

/** Keeps the salt in a file of the data folder, which belongs to one process and is in no backup. */
export const saltFile = (file: string): SaltPlace => ({
  async take(days) {
    const found = read(file)
    if (found !== undefined && isOfOne(days, found)) return found.salt
    if (found !== undefined) erase(file, found.bytes)
    const salt = randomBytes(32)
    writeWhole(file, `${days.today} ${salt.toString('base64')}`)
    return salt
  },

  async forgetOthers(days) {
    const found = read(file)
    if (found === undefined || isOfOne(days, found)) return undefined
    erase(file, found.bytes)
    return found.day
  },
})
