import type { Answer, Json } from '../../data/query'
import { PersonLink } from '../../parts/PersonLink'
import type { TableColumn } from '../../parts/PlainTable'
import { formatCount } from '../../parts/format'
import { Traits } from '../../parts/Traits'
import { ValueTable } from '../../parts/ValueTable'
import type { Question } from './exploreSearch'
import { rowsOf } from './measures'
import { mostValues } from './exploreSearch'

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
export function ValueAnswer({
  answer,
  question,
  title,
}: {
  answer: Answer
  question: Question
  title: string
}) {
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
