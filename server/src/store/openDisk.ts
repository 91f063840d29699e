import type { Logger } from '../Logger.js'
import { checkpointRoomOf } from './Database.js'
import { DiskRoom, takeBallast } from './DiskRoom.js'
import { createGivingBack, giveBackLeftovers, type GivingBack, type GivingBackOptions } from './givingBack.js'

export interface OpenDiskOptions extends Pick<GivingBackOptions, 'database' | 'catalogs'> {
  folder: { path: string; temp: string }
  minFreeDiskBytes: number | undefined
  logger: Logger
  endMe(): void
  /** The disk was too full for checkpoints when DuckDB was opened, and is not any more. */
  onRoom(): void
}

/** Within this time the client of the statement gets its answer, before the engine ends. */
const answerMs = 1000

/** Shrinks what earlier statements have left on the disk, and then opens what keeps new ones from filling it. */
export const openDisk = async (
  options: OpenDiskOptions,
): Promise<{ room: DiskRoom; givingBack: GivingBack; stop(): void }> => {
  const { database, folder, minFreeDiskBytes, logger, endMe, onRoom } = options
  const room = await DiskRoom.open(folder, minFreeDiskBytes)
  const giving = {
    ...options,
    room,
    onKept(catalog: string) {
      logger.error('A statement has filled the disk. The engine ends, so that DuckDB gives the room back.', {
        catalog,
      })
      setTimeout(endMe, answerMs).unref()
    },
  }
  await giveBackLeftovers(giving)
  await takeBallast(folder, room)
  if (await room.isShort()) {
    logger.warn(
      'The disk has less room than must stay free, so changes by SQL, /append and /upload are refused.',
      { min_free_bytes: room.reserveBytes },
    )
  }
  const stop = database.isCramped ? room.onceFree(2 * checkpointRoomOf(folder), onRoom) : () => undefined
  return { room, givingBack: createGivingBack(giving), stop }
}
