import { useMemo } from 'preact/hooks'
import { useScope } from '../../address/scope'
import { useSearch } from '../../address/location'
import { comparisons, readComparison } from '../../address/timeRange'
import { Annotations } from '../../parts/Annotations'
import { AnswerCard } from '../../parts/AnswerCard'
import { Card } from '../../parts/Card'
import { Empty } from '../../parts/notes'
import { Question as QuestionLine } from '../../parts/Question'
import { Tabs } from '../../parts/Tabs'
import { ExploreAnswer } from './ExploreAnswer'
import {
  askExplore,
  comesAgain,
  describeQuestion,
  type Question,
  readQuestion,
  shapes,
} from './exploreSearch'
import { QuestionFields } from './QuestionFields'

/** What is shown beside the answer: how it is drawn or sorted, what else belongs to it, and with what it is compared. */
function Asides({ question }: { question: Question }) {
  const [search, setSearch] = useSearch()
  const { range } = useScope()
  const { by, interval, measure, per, shape, isHighestFirst, hasRest, isCompared } = question
  // A sum has its highest values in any case; of people and sessions only a table has.
  const isSorted = measure.isCount && !per && (measure.needsProperty || !interval)
  return (
    <>
      {by && !isSorted && measure.name !== 'events' && !measure.isOfDays && (
        <Tabs
          name="Order"
          tabs={orderTabs}
          chosen={isHighestFirst ? 'highest' : 'most'}
          choose={(name) => setSearch({ order: name === 'most' ? undefined : name }, { replace: true })}
        />
      )}
      {interval && !by && !isCompared && (
        <Tabs
          name="Chart"
          tabs={shapeTabs}
          chosen={shape}
          choose={(name) => setSearch({ as: name === 'line' ? undefined : name }, { replace: true })}
        />
      )}
      {by && !measure.isOfDays && (
        <label class="field check">
          <input
            type="checkbox"
            checked={hasRest}
            onChange={({ currentTarget }) => setSearch({ rest: currentTarget.checked ? '1' : undefined })}
          />
          with all others
        </label>
      )}
      {!(by && interval) && range.name !== 'all' && (
        <label class="field">
          <span class="field-name">compared with</span>
          <select
            value={isCompared ? readComparison(search) : 'none'}
            onChange={({ currentTarget: { value } }) => setSearch({ vs: value })}
          >
            {comparisons
              .filter(([name]) => name !== 'custom' || readComparison(search) === name)
              .map(([name, title]) => (
                <option key={name} value={name}>
                  {title}
                </option>
              ))}
          </select>
        </label>
      )}
      {interval && !comesAgain(interval) && <Annotations />}
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
  const [search] = useSearch()
  const question = useMemo(() => readQuestion(search, scope.range), [search, scope])
  const ask = askExplore(scope, question)
  const title = describeQuestion(question)
  return (
    <>
      <Card title="Question">
        <QuestionLine>
          <QuestionFields question={question} />
        </QuestionLine>
      </Card>
      {ask ? (
        <AnswerCard
          name="answer"
          title={title}
          ask={ask}
          aside={<Asides question={question} />}
          empty={`There are no ${question.measure.of} in this time.`}
        >
          {(answer) => <ExploreAnswer answer={answer} question={question} title={title} />}
        </AnswerCard>
      ) : (
        <Card name="answer" title={question.measure.title}>
          <Empty>Choose a property whose values are numbers.</Empty>
        </Card>
      )}
    </>
  )
}
