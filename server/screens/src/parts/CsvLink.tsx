import type { Ask } from '../data/asks'
import { downloadAddress } from '../data/query'

/** A link that saves the rows behind a picture, under the title of its card. */
export function CsvLink({ ask, of }: { ask: Ask; of: string }) {
  const address = downloadAddress(ask, 'csv', of)
  if (address === undefined) return null
  return (
    <a class="button quiet" href={address} download aria-label={`CSV: ${of}`}>
      CSV
    </a>
  )
}
