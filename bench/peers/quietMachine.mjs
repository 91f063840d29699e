import { cpus } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'

const watchMs = 3000
/** What a machine uses that has nothing to do: seen at 1 to 4 %. */
const quietShare = 0.1

const readNow = () => ({
  atMs: performance.now(),
  idleMs: cpus().reduce((sum, { times }) => sum + times.idle, 0),
  processors: cpus().length,
})

/**
 * The part of all processors that others use while this process waits, from 0 to 1. What a host gives to other machines
 * counts, too: that time is missing from the idle one.
 * @param {ReturnType<typeof readNow>} before
 * @param {ReturnType<typeof readNow>} after
 */
export const busyShare = (before, after) =>
  Math.max(0, 1 - (after.idleMs - before.idleMs) / ((after.atMs - before.atMs) * after.processors))

/**
 * Says that the machine is busy: figures that did not have the same machine say nothing about each other.
 * @param {string} file what is therefore not written
 */
export const whyNotNow = async (file) => {
  const before = readNow()
  await delay(watchMs)
  const share = busyShare(before, readNow())
  return share > quietShare
    ? `The machine is busy: something else uses ${Math.round(100 * share)} % of its processors. ${file} is not written. End what runs, and start this part again.`
    : ''
}
