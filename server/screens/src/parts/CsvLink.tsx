import { downloadAddress } from '../data/query'
import type { Sql } from '../data/sql'

/** What names of files may not have. */
const toFileName = (title: string) => title.replaceAll(/[\\/:*?"<>|]+/g, '-')

/** A link that saves the rows behind a picture. */
export function CsvLink({ statement, of }: { statement: Sql; of: string }) {
  const address = downloadAddress(statement.text, 'csv')
  if (address === undefined) return null
  return (
    <a
      class="button quiet csv-link"
      href={address}
      download={`${toFileName(of)}.csv`}
      aria-label={`CSV: ${of}`}
    >
      CSV
    </a>
  )
}
