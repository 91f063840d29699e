import { useMemo } from 'preact/hooks'
import { keyOf } from '../../data/asks'
import { Annotations } from '../../parts/Annotations'
import { AnswerCard } from '../../parts/AnswerCard'
import { Card } from '../../parts/Card'
import { Empty } from '../../parts/notes'
import { Question as QuestionLine } from '../../parts/Question'
import { Tabs } from '../../parts/Tabs'
import { useScope } from '../../address/scope'
import { useSearch } from '../../address/location'
import {
  askExplore,
  readQuestion,
  shapes,
  type Question,
  mostLines,
  mostValues,
  titleOf,
} from './exploreSearch'
import { QuestionFields } from './QuestionFields'
import type { Answer, Json } from '../../data/query'
import { Chart } from '../../parts/Chart'
import { useMarks } from '../../parts/marks'
import { toLines } from '../../parts/toLines'
import { PersonLink } from '../../parts/cells'
import type { TableColumn } from '../../parts/Table'
import { formatCount, nameTime } from '../../parts/format'
import { Traits } from '../../parts/Properties'
import { ValueTable } from '../../parts/ValueTable'
import { rowsOf } from './measures'

/** `Events of Order Placed by Person, by day`. */
export function describeQuestion({ measure, property, event, by, interval }: Question): string {
  const parts = [
    measure.title,
    property === undefined ? '' : `of ${property}`,
    event ? `of ${event}` : '',
    by ? `by ${by.title}` : '',
  ].filter(Boolean)
  return `${parts.join(' ')}${interval ? `${by ? ',' : ''} ${titleOf(interval).toLowerCase()}` : ''}`
}

const nameOf = (traits: Json | undefined, id: string): string => {
  const known = traits && typeof traits === 'object' && !Array.isArray(traits) ? traits : {}
  return (
    [known['name'], known['email'], id].find(
      (name): name is string => typeof name === 'string' && name !== '',
    ) ?? id
  )
}

const traitsColumn: TableColumn<readonly Json[]> = {
  title: 'Traits',
  value: (row) => <Traits of={row[3]} />,
}

/** The figure of each value. */
function ValueAnswer({ answer, question, title }: { answer: Answer; question: Question; title: string }) {
  const { measure, by } = question
  if (!by) return null
  const isPerson = by.name === 'person_id'
  return (
    <>
      <ValueTable
        caption={title}
        field={by}
        rows={answer.rows}
        figures={[
          { title: measure.title, format: measure.format },
          ...(measure.name === 'events' ? [] : [{ title: rowsOf[measure.of], format: formatCount }]),
        ]}
        {...(isPerson
          ? { show: (row, id) => <PersonLink id={id} name={nameOf(row[3], id)} />, more: [traitsColumn] }
          : {})}
      />
      {answer.rows.length === mostValues && (
        <p class="soft">The first {mostValues} are shown. A higher LIMIT in the SQL gives more.</p>
      )}
    </>
  )
}

/** The figure over time, with a line for each value. */
function TimeAnswer({ answer, question, title }: { answer: Answer; question: Question; title: string }) {
  const { range, now } = useScope()
  const { measure, by, interval = 'day', shape } = question
  const marks = useMarks(range)
  const { x, series, isOpen } = useMemo(
    () =>
      toLines(answer.rows, {
        range,
        now,
        unit: interval,
        empty: measure.isCount ? 0 : null,
        nameOf: (value) => (by ? (value ?? by.none) : measure.title),
      }),
    [answer],
  )
  return (
    <>
      <Chart
        caption={title}
        x={x}
        series={series}
        isOpen={isOpen}
        marks={marks}
        kind={shape === 'bars' && !by ? 'bar' : 'line'}
        isCount={measure.isCount === true && !measure.needsProperty}
        nameX={(time) => nameTime(time, interval)}
        formatY={measure.format}
        height={280}
      />
      {series.length === mostLines && <p class="soft">The {mostLines} most frequent values are shown.</p>}
    </>
  )
}

const shapeTabs = shapes.map(([name, title]) => ({ name, title }))
const orderTabs = [
  { name: 'most', title: 'Most frequent first' },
  { name: 'highest', title: 'Highest first' },
]

/** A figure of what is chosen here, in all, by time or by the values of a column or property. */
export function Explore() {
  const scope = useScope()
  const [search, setSearch] = useSearch()
  const question = useMemo(() => readQuestion(search, scope.range), [search, scope])
  const ask = askExplore(scope, question)
  const { measure, by, interval, shape, isHighestFirst } = question
  const title = describeQuestion(question)

  const tabs = interval ? (
    !by && (
      <Tabs
        name="Chart"
        tabs={shapeTabs}
        chosen={shape}
        choose={(name) => setSearch({ as: name === 'line' ? undefined : name }, { replace: true })}
      />
    )
  ) : by && !measure.isCount ? (
    <Tabs
      name="Order"
      tabs={orderTabs}
      chosen={isHighestFirst ? 'highest' : 'most'}
      choose={(name) => setSearch({ order: name === 'most' ? undefined : name }, { replace: true })}
    />
  ) : undefined

  return (
    <>
      <Card title="Question">
        <QuestionLine>
          <QuestionFields question={question} />
        </QuestionLine>
      </Card>
      {ask ? (
        // Another question has other columns, so it begins without the answer before.
        <AnswerCard
          key={keyOf(ask)}
          name="answer"
          title={title}
          ask={ask}
          aside={
            (tabs || interval) && (
              <>
                {tabs}
                {interval && <Annotations />}
              </>
            )
          }
          empty={`There are no ${measure.of} in this time.`}
        >
          {(answer) => {
            if (interval) return <TimeAnswer answer={answer} question={question} title={title} />
            if (by) return <ValueAnswer answer={answer} question={question} title={title} />
            const figure = answer.rows[0]?.[0]
            return (
              <p class="figure">
                {figure === null || figure === undefined ? '–' : measure.format(Number(figure))}
              </p>
            )
          }}
        </AnswerCard>
      ) : (
        <Card name="answer" title={measure.title}>
          <Empty>Choose a property whose values are numbers.</Empty>
        </Card>
      )}
    </>
  )
}
