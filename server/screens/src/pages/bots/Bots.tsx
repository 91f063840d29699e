import { useState } from 'preact/hooks'
import { periodOf } from '../../data/asks'
import { useMayWrite } from '../../data/login'
import { toProblem } from '../../data/Problem'
import type { Json } from '../../data/query'
import { save, useSaved } from '../../data/saved'
import { useAnswer } from '../../data/useAnswer'
import { useSearch } from '../../address/location'
import { useScope } from '../../address/scope'
import { AnswerBody, AnswerCard } from '../../parts/AnswerCard'
import { Card } from '../../parts/Card'
import { CellButton, PersonLink } from '../../parts/cells'
import { formatCount, formatDuration, formatShare } from '../../parts/format'
import { Moment } from '../../parts/Moment'
import { Table, type TableColumn } from '../../parts/Table'

type Row = readonly Json[]

const text = (value: Json | undefined) => (typeof value === 'string' ? value : '–')
const countColumn = (title: string, at: number): TableColumn<Row> => ({
  title,
  isNumber: true,
  value: (row) => formatCount(Number(row[at])),
})

/** What is seen of such visits, in the words of docs/api.md, "Bots". */
const explanations: Readonly<Record<string, string>> = {
  'pages faster than people read': '30 pages or more, each for less than 2 seconds',
  'many visits alike that end at once':
    'one page for less than a second, like 20 others of that day from the same kind of browser and place',
}
const explain = (reason: string) => explanations[reason] ?? reason

const most = 50

/** The figures with suspects and without them, a row each. */
const readTotals = (rows: readonly Row[]): Row[] => {
  const [all = [], rest = []] = ['with', 'without'].map((name) => rows.find((row) => row[0] === name))
  return ['People', 'Sessions', 'Page views', 'Events'].map((name, at) => [
    name,
    Number(all[at + 1] ?? 0),
    Number(rest[at + 1] ?? 0),
  ])
}

const changeOf = ([, all, rest]: Row) =>
  Number(all) === 0 ? '–' : formatShare((Number(rest) - Number(all)) / Number(all))

/** Leaves suspects out of all figures of an environment, or counts them again. */
function useSwitch(environment: string) {
  const isOut = useSaved('exclusion').some(({ name }) => name === environment)
  const [problem, setProblem] = useState('')
  const [isBusy, setIsBusy] = useState(false)
  const turn = async () => {
    setIsBusy(true)
    try {
      await save('exclusion', { name: environment, value: isOut ? null : { suspects: true } })
      setProblem('')
    } catch (error) {
      setProblem(toProblem(error).message)
    }
    setIsBusy(false)
  }
  return { isOut, problem, isBusy, turn }
}

/** Visits whose behaviour is not that of people: how many, why, examples, and the figures without them. */
export function Bots() {
  const { environment, range, now } = useScope()
  const [search, setSearch] = useSearch()
  const mayWrite = useMayWrite()
  const { isOut, problem, isBusy, turn } = useSwitch(environment)
  const asking = { environment, ...periodOf(range) }
  const counted = { name: 'suspects', ...asking }
  const asked = useAnswer(counted, { askedAt: now })
  const isAny = (asked.answer?.rows.length ?? 0) > 0
  const reason = search.get('suspect')
  const choose = (row: Row) => {
    const chosen = text(row[0])
    setSearch({ suspect: chosen === reason ? undefined : chosen }, { replace: true })
  }
  const sessions = { name: 'suspect_sessions', ...asking, ...(reason !== null && { suspect: reason }), most }
  return (
    <>
      <Card
        title="Suspects"
        ask={counted}
        isStale={asked.isStale}
        aside={
          mayWrite &&
          (isAny || isOut) && (
            <button class="button" type="button" disabled={isBusy} onClick={() => void turn()}>
              {isOut ? 'Count them again' : 'Leave them out'}
            </button>
          )
        }
      >
        {problem && <p role="alert">{problem}</p>}
        <p role="status">
          {isOut
            ? `Suspects are left out of all figures of ${environment}; new ones within an hour.`
            : `Suspects count in all figures of ${environment}.`}
        </p>
        <AnswerBody asked={asked} empty="No visit of this time behaves as people do not.">
          {({ rows }) => (
            <Table<Row>
              caption="Why visits are suspects"
              rows={rows}
              rowKey={([why]) => text(why)}
              chooseRow={choose}
              isStacked
              columns={[
                {
                  title: 'Why',
                  value: (row) => (
                    <>
                      <CellButton title="Show only these visits" choose={() => choose(row)}>
                        {text(row[0])}
                      </CellButton>
                      <p class="soft">{explain(text(row[0]))}</p>
                    </>
                  ),
                },
                countColumn('Sessions', 1),
                countColumn('People', 2),
                countColumn('Page views', 3),
                { title: 'Last seen', value: (row) => <Moment time={text(row.at(-1))} show="recent" /> },
              ]}
            />
          )}
        </AnswerBody>
        <p class="soft">
          Bots that say who they are never count. Addresses are not kept, so that many visits come from one
          network cannot be seen.
        </p>
      </Card>
      {isAny && (
        <>
          <AnswerCard
            title="Figures without them"
            ask={{ name: 'suspect_totals', ...asking }}
            empty="There are no events in this time."
          >
            {({ rows }) => (
              <Table<Row>
                caption="The figures with suspects and without them"
                rows={readTotals(rows)}
                rowKey={([name]) => text(name)}
                columns={[
                  { title: 'Figure', value: ([name]) => text(name) },
                  countColumn('With', 1),
                  countColumn('Without', 2),
                  { title: 'Change', isNumber: true, value: changeOf },
                ]}
              />
            )}
          </AnswerCard>
          <AnswerCard
            title={reason === null ? 'Examples' : `Examples: ${reason}`}
            ask={sessions}
            empty="No such visit in this time."
          >
            {({ rows }) => (
              <Table<Row>
                caption="The newest suspects"
                rows={rows}
                rowKey={(row) => text(row[1])}
                isStacked
                columns={[
                  { title: 'Began', value: ([time]) => <Moment time={text(time)} show="recent" /> },
                  {
                    title: 'Who',
                    value: (row) => (row[2] === null ? '–' : <PersonLink id={text(row[2])} />),
                  },
                  countColumn('Pages', 4),
                  {
                    title: 'Duration',
                    isNumber: true,
                    value: (row) => formatDuration(Number(row[5])),
                  },
                  { title: 'Entry', value: (row) => <span class="break">{text(row[6])}</span> },
                  {
                    title: 'Browser',
                    value: (row) =>
                      row
                        .slice(7)
                        .filter((each) => each !== null)
                        .join(', '),
                  },
                ]}
              />
            )}
          </AnswerCard>
        </>
      )}
    </>
  )
}
