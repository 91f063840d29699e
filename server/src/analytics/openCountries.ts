import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { type CountryResponse, Reader } from 'mmdb-lib'
import type { AddressOf } from '../http/clientAddress.js'
import { OperatorError } from '../OperatorError.js'
import { reasonOf } from '../reasonOf.js'
import type { FindCountry } from './createSenderReader.js'

/** Publishers write a country in one of these two forms. */
type Found = CountryResponse & { country_code?: string }

/** Opens a database of addresses in MaxMind's format. An address is looked up, and forgotten. */
export const openCountries = (path: string, addressOf: AddressOf): FindCountry => {
  let reader: Reader<Found>
  try {
    reader = new Reader<Found>(readFileSync(path))
  } catch (error) {
    throw new OperatorError(
      `--geo-database ${path} cannot be read: ${reasonOf(error)}. Name a file in MaxMind's format (.mmdb) with countries.`,
    )
  }
  return (request) => {
    const address = addressOf(request)
    try {
      const found = isIP(address) === 0 ? undefined : reader.get(address)
      const code = found?.country?.iso_code ?? found?.country_code
      return code !== undefined && /^[A-Z]{2}$/.test(code) ? code : undefined
    } catch {
      // A part of the file is damaged. No event is refused for that.
      return undefined
    }
  }
}
