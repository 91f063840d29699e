import { Card } from '../../parts/Card'
import { formatCount } from '../../parts/format'
import { Loading, Empty, ProblemNote } from '../../parts/notes'
import { Tabs } from '../../parts/Tabs'
import { useSearch } from '../../address/location'
import { explainMistake } from './explainMistake'
import { ResultChart } from './ResultChart'
import { ResultTable } from './ResultTable'
import { mostRows, type Run } from './useRun'
import { downloadAddress } from '../../data/query'

const formats = [
  ['csv', 'CSV'],
  ['jsonl', 'JSON'],
  ['parquet', 'Parquet'],
] as const

/** Links that run the statement again and save all of its rows. */
function Downloads({ statement, sessionId }: { statement: string; sessionId: string }) {
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

const tabs = [
  { name: 'table', title: 'Table' },
  { name: 'chart', title: 'Chart' },
]

const rowsOf = (count: number) => `${formatCount(count)} ${count === 1 ? 'row' : 'rows'}`

/** How many rows there are, and how many of them are here. */
export function describeRun({ answer, problem, isRunning, hasMore, total, tookMs = 0 }: Run): string {
  const count = answer?.rows.length ?? 0
  const took = `${(tookMs / 1000).toFixed(2)} s`
  if (isRunning) return count > 0 ? `${rowsOf(count)} so far …` : 'Running …'
  if (problem) return count > 0 ? `${rowsOf(count)} came before it stopped` : ''
  if (!hasMore) return `${rowsOf(count)} in ${took}`
  const all = total === undefined ? `more than ${formatCount(mostRows)}` : formatCount(total)
  return `The first ${formatCount(mostRows)} of ${all} rows, in ${took}`
}

interface Props {
  run: Run
  sessionId: string
}

export function Result({ run, sessionId }: Props) {
  const [search, setSearch] = useSearch()
  const { answer, problem, isRunning, dialect } = run
  const isChart = search.get('show') === 'chart'
  const aside = answer && (
    <Tabs
      name="Result"
      tabs={tabs}
      chosen={isChart ? 'chart' : 'table'}
      choose={(name) => setSearch({ show: name === 'chart' ? name : undefined }, { replace: true })}
    />
  )
  const isEmpty = answer?.rows.length === 0
  return (
    <Card title="Result" aside={aside} class="sql-result">
      <div class="sql-status">
        <span role="status">{describeRun(run)}</span>
        {answer && !isRunning && !problem && <Downloads statement={answer.statement} sessionId={sessionId} />}
      </div>
      {isRunning && !answer && <Loading since={run.since} />}
      {problem && (
        <ProblemNote
          problem={
            problem.kind === 'refused' && !dialect
              ? { ...problem, message: explainMistake(problem.message, run.statement) }
              : problem
          }
        />
      )}
      {answer && isEmpty && !isRunning && (
        <Empty>
          The statement ran, and there are no rows of these columns:{' '}
          {answer.columns.map(({ name }) => name).join(', ')}
        </Empty>
      )}
      {answer &&
        !isEmpty &&
        (isChart ? <ResultChart answer={answer} /> : <ResultTable key={run.id} answer={answer} />)}
    </Card>
  )
}
