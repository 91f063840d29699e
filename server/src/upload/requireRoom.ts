import { statfs } from 'node:fs/promises'
import { Refusal } from '../http/Refusal.js'

/** What a full disk is answered with; the connection ends, because the rest of a body may still come. */
export const diskFull = () =>
  new Refusal(
    503,
    { error: 'disk-full', message: 'There is not enough free disk for this file. Nothing was stored.' },
    { connection: 'close', 'retry-after': '60' },
  )

/** Refuses when so many bytes are not free where the file lies. */
export const requireRoom = async (file: string, bytes: number): Promise<void> => {
  const { bavail, bsize } = await statfs(file)
  if (bavail * bsize < bytes) throw diskFull()
}
