import { downloadAddress } from '../data/query'
import type { Sql } from '../data/sql'

/** A link that saves the rows behind a picture, under the title of its card. */
export function CsvLink({ statement, of }: { statement: Sql; of: string }) {
  const address = downloadAddress(statement.text, 'csv', of)
  if (address === undefined) return null
  return (
    <a class="button quiet" href={address} download aria-label={`CSV: ${of}`}>
      CSV
    </a>
  )
}
