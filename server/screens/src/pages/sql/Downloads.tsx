import { downloadAddress } from '../../data/query'

const formats = [
  ['csv', 'CSV'],
  ['jsonl', 'JSON'],
  ['parquet', 'Parquet'],
] as const
/** A request's head has 32 KiB of room in the service, for cookies and all. */
const longestAddress = 12_000

/** Links that run the statement again and save all of its rows. */
export function Downloads({ statement, sessionId }: { statement: string; sessionId: string }) {
  const links = formats.map(([format, title]) => ({
    title,
    address: downloadAddress(statement, format, sessionId),
  }))
  if (links.some(({ address }) => address.length > longestAddress))
    return (
      <span class="soft">This statement is too long to be downloaded by a link: ask by POST /query.</span>
    )
  return (
    <span class="sql-downloads">
      <span class="soft">Download all rows:</span>
      {links.map(({ title, address }) => (
        <a key={title} class="button quiet" href={address} download={`result.${title.toLowerCase()}`}>
          {title}
        </a>
      ))}
    </span>
  )
}
