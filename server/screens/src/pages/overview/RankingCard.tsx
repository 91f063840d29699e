import { type Asking, askOf, beforeOf } from '../../data/asks'
import type { Json } from '../../data/query'
import { AnswerCard } from '../../parts/AnswerCard'
import { Tabs } from '../../parts/Tabs'
import { useSearch } from '../../address/location'
import type { TableColumn } from '../../parts/Table'
import { formatChange, formatCount, formatShare } from '../../parts/format'
import { ValueTable } from '../../parts/ValueTable'
import { type Dimension, few, many } from './dimensions'
import { useGoal } from './useGoal'

interface Props {
  title: string
  dimensions: readonly Dimension[]
  asking: Asking
}

const counted = { sessions: 'Sessions', page_views: 'Views', events: 'Times' }
const people = { title: 'People', format: formatCount }
const bounces = { title: 'Bounced', format: formatShare }

/** The last column of the answer has the count of what is compared with. */
const changeColumn: TableColumn<readonly Json[]> = {
  title: 'Change',
  isNumber: true,
  value: (row) => {
    const [now, before] = [Number(row[1]), Number(row.at(-1))]
    return <span title={`${formatCount(before)} before`}>{formatChange(now, before) ?? 'new'}</span>
  },
}

/** The values of one dimension, which tabs choose. Which, and whether all are shown, is in the address. */
export function RankingCard({ title, dimensions, asking }: Props) {
  const [search, setSearch] = useSearch()
  const parameter = `by_${title.toLowerCase()}`
  const [first] = dimensions
  const goal = useGoal()
  const dimension = dimensions.find(({ name }) => name === search.get(parameter)) ?? first
  const isLong = search.getAll('more').includes(title)
  if (!dimension) return null

  const rest = search.getAll('more').filter((each) => each !== title)
  const tabs = (
    <Tabs
      name={title}
      tabs={dimensions}
      chosen={dimension.name}
      choose={(name) =>
        setSearch({ [parameter]: name === first?.name ? undefined : name }, { replace: true })
      }
    />
  )
  return (
    <AnswerCard
      name={title.toLowerCase()}
      title={title}
      ask={askOf('ranking', asking, {
        ...beforeOf(asking),
        by: dimension.name,
        most: isLong ? many : few,
        goal,
      })}
      aside={dimensions.length > 1 ? tabs : undefined}
      empty="Nothing in this time."
    >
      {(answer) => (
        <>
          <ValueTable
            caption={`${dimension.title} by ${counted[dimension.of].toLowerCase()}`}
            field={dimension}
            rows={answer.rows}
            figures={[
              { title: counted[dimension.of], format: formatCount },
              people,
              ...(dimension.of === 'sessions' ? [bounces] : []),
              ...(goal === undefined ? [] : [{ title: 'Goal', format: formatShare }]),
            ]}
            {...(asking.range.before ? { more: [changeColumn] } : {})}
          />
          {(isLong || answer.rows.length === few) && (
            <button
              class="button quiet"
              type="button"
              aria-expanded={isLong}
              onClick={() => setSearch({ more: isLong ? rest : [...rest, title] }, { replace: true })}
            >
              {isLong ? 'Show ten' : 'Show more'}
            </button>
          )}
          {isLong && answer.rows.length === many && (
            <p class="soft">The first {many} are shown. A higher LIMIT in the SQL gives more.</p>
          )}
        </>
      )}
    </AnswerCard>
  )
}
