/** Whether a device is among the share that is sent: always the same answer for the same device. */
export function isSampled(deviceId: string, rate: number): boolean {
  if (rate >= 1) return true
  let hash = 0
  for (const character of deviceId) hash = (Math.imul(hash, 31) + character.codePointAt(0)!) >>> 0
  // Spreads the last characters over all bits.
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 0
  return hash / 2 ** 32 < rate
}
