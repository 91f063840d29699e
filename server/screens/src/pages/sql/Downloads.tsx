import { downloadAddress } from '../../data/query'

const formats = [
  ['csv', 'CSV'],
  ['jsonl', 'JSON'],
  ['parquet', 'Parquet'],
] as const

/** Links that run the statement again and save all of its rows. */
export function Downloads({ statement, sessionId }: { statement: string; sessionId: string }) {
  const links = formats.flatMap(([format, title]) => {
    const address = downloadAddress(statement, format, 'result', sessionId)
    return address === undefined ? [] : [{ title, address }]
  })
  if (links.length < formats.length)
    return (
      <span class="soft">This statement is too long to be downloaded by a link: ask by POST /query.</span>
    )
  return (
    <span class="sql-downloads">
      <span class="soft">Download all rows:</span>
      {links.map(({ title, address }) => (
        <a key={title} class="button quiet" href={address} download>
          {title}
        </a>
      ))}
    </span>
  )
}
