/** Whether a device is among the share that is sent: always the same answer for the same device. */
export function isSampled(deviceId: string, rate: number): boolean {
  if (rate >= 1) return true
  let hash = 0
  for (const character of deviceId) hash = Math.imul(hash ^ character.codePointAt(0)!, 0x9e3779b1)
  return (hash >>> 0) / 2 ** 32 < rate
}
