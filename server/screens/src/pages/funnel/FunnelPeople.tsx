import { AnswerCard } from '../../parts/AnswerCard'
import { formatCount } from '../../parts/format'
import { Moment } from '../../parts/Moment'
import { PersonLink } from '../../parts/PersonLink'
import { Table } from '../../parts/Table'
import { askFunnel, type FunnelAsking, type PeopleChoice } from './funnelSearch'

const mostPeople = 100

/** Who did a step, or did it and none after it. */
export function FunnelPeople({ asking, choice }: { asking: FunnelAsking; choice: PeopleChoice }) {
  const { step, kind } = choice
  const ask = askFunnel('funnel_people', asking, { step, dropped: kind === 'dropped', most: mostPeople })
  const name = asking.steps[step - 1] ?? ''
  const next = asking.steps[step] ?? ''
  const title = kind === 'reached' ? `People who did ${name}` : `People who did ${name}, but not ${next}`
  return (
    <AnswerCard title={title} ask={ask} empty="There is nobody.">
      {({ rows }) => {
        const all = Number(rows[0]?.[4])
        return (
          <>
            <Table
              caption={title}
              rows={rows}
              rowKey={([id]) => String(id)}
              columns={[
                {
                  title: 'Person',
                  value: ([id, called]) => <PersonLink id={String(id)} name={String(called)} />,
                },
                {
                  title: 'Got as far as',
                  value: ([, , depth]) => `${String(depth)} ${asking.steps[Number(depth) - 1] ?? ''}`,
                },
                { title: 'When', value: ([, , , time]) => <Moment time={String(time)} /> },
              ]}
            />
            {all > rows.length && (
              <p class="soft">
                The newest {formatCount(rows.length)} of {formatCount(all)} are shown. A higher LIMIT in the
                SQL gives more.
              </p>
            )}
          </>
        )
      }}
    </AnswerCard>
  )
}
