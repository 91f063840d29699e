import { Refusal } from '../http/Refusal.js'

/** `?sync=true` makes the answer wait until the rows can be queried. */
export const readSync = (search: string): boolean => {
  if (!search.includes('sync')) return false
  const value = new URLSearchParams(search).get('sync')
  if (value === null || value === 'false' || value === '0') return false
  if (value === 'true' || value === '1' || value === '') return true
  throw new Refusal(400, { error: 'invalid-parameter', message: 'sync must be true or false.' })
}
