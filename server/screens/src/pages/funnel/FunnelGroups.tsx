import { useSearch } from '../../address/location'
import { AnswerCard } from '../../parts/AnswerCard'
import { formatCount, formatShare } from '../../parts/format'
import { PeopleLink } from '../../parts/PeopleLink'
import { Table } from '../../parts/Table'
import { FunnelLuck } from './FunnelLuck'
import { askFunnel, type FunnelAsking, pickQuestion, writePeople } from './funnelSearch'
import { type Group, readAnswer } from './readAnswer'

const mostGroups = 50

/** The funnel once for each value of a property at the first step. */
export function FunnelGroups({ asking, by }: { asking: FunnelAsking; by: string }) {
  const [search] = useSearch()
  const peopleLink = (people: number, step: number, value: string | null) => (
    <PeopleLink
      people={people}
      figure={{
        ...{ of: 'funnel', people: writePeople({ kind: 'reached', step }), value: value ?? undefined },
        ...pickQuestion(search),
      }}
    />
  )
  return (
    <AnswerCard
      name="groups"
      title={`By ${by} at the first step`}
      class="funnel-groups"
      ask={askFunnel('funnel', asking, { breakdown: by })}
      empty="Nobody did the first step."
    >
      {({ rows }) => {
        const groups = readAnswer(rows)
        return (
          <>
            <Table
              caption={`Funnel by ${by}`}
              rows={groups.slice(0, mostGroups)}
              rowKey={({ value }) => (value === null ? 'none' : `value ${value}`)}
              columns={[
                { title: by, value: ({ value }) => value ?? <span class="soft">(none)</span> },
                ...asking.steps.map((name, at) => ({
                  title: `${at + 1} ${name}`,
                  isNumber: true,
                  ...(at > 0 ? { bar: ({ steps }: Group) => steps[at]?.conversion ?? 0 } : {}),
                  value: ({ value, steps }: Group) => (
                    <>
                      {peopleLink(steps[at]?.people ?? 0, at + 1, value)}
                      {at > 0 && <span class="soft"> {formatShare(steps[at]?.conversion ?? 0)}</span>}
                    </>
                  ),
                })),
              ]}
            />
            {asking.steps.length > 1 && <FunnelLuck groups={groups.slice(0, mostGroups)} by={by} />}
            {groups.length > mostGroups && (
              <p class="soft">
                The {mostGroups} values with most people are shown, of {formatCount(groups.length)}. SQL gives
                all.
              </p>
            )}
          </>
        )
      }}
    </AnswerCard>
  )
}
