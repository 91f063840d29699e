import { useMemo } from 'preact/hooks'
import { keyOf } from '../../data/asks'
import { Annotations } from '../../parts/Annotations'
import { AnswerCard } from '../../parts/AnswerCard'
import { Card } from '../../parts/Card'
import { Empty } from '../../parts/Empty'
import { FilterBar } from '../../parts/FilterBar'
import { Question } from '../../parts/Question'
import { Tabs } from '../../parts/Tabs'
import { useScope } from '../../shell/scope'
import { useFilters } from '../../shell/useFilters'
import { useSearch } from '../../shell/useSearch'
import { describeQuestion } from './describeQuestion'
import { askExplore, readQuestion, shapes } from './exploreSearch'
import { QuestionFields } from './QuestionFields'
import { TimeAnswer } from './TimeAnswer'
import { ValueAnswer } from './ValueAnswer'

const shapeTabs = shapes.map(([name, title]) => ({ name, title }))
const orderTabs = [
  { name: 'most', title: 'Most frequent first' },
  { name: 'highest', title: 'Highest first' },
]

/** A figure of what is chosen here, in all, by time or by the values of a column or property. */
export function Explore() {
  const scope = useScope()
  const [search, setSearch] = useSearch()
  const { filters } = useFilters()
  const question = useMemo(() => readQuestion(search, scope.range), [search, scope])
  const ask = askExplore({ ...scope, filters }, question)
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
      <FilterBar of={measure.of} />
      <Card title="Question">
        <Question>
          <QuestionFields question={question} />
        </Question>
      </Card>
      {ask ? (
        // Another question has other columns, so it begins without the answer before.
        <AnswerCard
          key={keyOf(ask)}
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
          empty={
            filters.length > 0
              ? `No ${measure.of} match the filters.`
              : `There are no ${measure.of} in this time.`
          }
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
        <Card title={measure.title}>
          <Empty>Choose a property whose values are numbers.</Empty>
        </Card>
      )}
    </>
  )
}
