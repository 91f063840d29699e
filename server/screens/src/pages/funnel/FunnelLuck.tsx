import { useScope } from '../../address/scope'
import { formatCount, formatShare } from '../../parts/format'
import { Table } from '../../parts/Table'
import { compareShares, type Comparison } from './compareShares'
import type { Group } from './readAnswer'

const dayMs = 86_400_000

const sign = (share: number) => `${share > 0 ? '+' : share < 0 ? '−' : ''}${formatShare(Math.abs(share))}`
const formatP = (p: number) => (p < 0.001 ? 'under 0.001' : p.toFixed(3))
const counted = (count: number, noun: string) => `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`

interface Luck {
  group: Group
  people: number
  conversion: number
  comparison: Comparison | undefined
}

/** How many people more, and how many days at the rate of the time, until both have enough. */
const waitFor = (needed: number, sizes: readonly number[], days: number | undefined) => {
  const missing = sizes.map((people) => Math.max(0, needed - people))
  const most = Math.max(...missing)
  if (most === 0) return 'has enough people for a difference as large as this'
  const wait =
    days === undefined
      ? undefined
      : Math.ceil(Math.max(...missing.map((more, at) => (more * days) / sizes[at]!)))
  return `${formatCount(needed)} people each${wait === undefined ? '' : `, about ${counted(wait, 'day')} more`}`
}

/** Whether the values of a funnel differ by more than chance, each against the first. */
export function FunnelLuck({ groups, by }: { groups: readonly Group[]; by: string }) {
  const { range, now } = useScope()
  const shares = groups.flatMap((group) => {
    const [people, did] = [group.steps[0]?.people ?? 0, group.steps.at(-1)?.people ?? 0]
    return people > 0 ? [{ group, people, did }] : []
  })
  const [first, ...others] = shares
  if (first === undefined || others.length === 0) return null
  const compared = compareShares(first, others)
  const rows = shares.map(({ group, people, did }, at): Luck => ({
    group,
    people,
    conversion: did / people,
    comparison: compared[at - 1],
  }))
  const end = Math.min(now.getTime(), range.until.getTime())
  const days = range.name === 'all' ? undefined : (end - range.from.getTime()) / dayMs
  const nameOf = ({ value }: Group) => value ?? '(none)'
  return (
    <>
      <h3>Is the difference chance?</h3>
      <Table<Luck>
        caption={`Conversion by ${by}, against ${nameOf(first.group)}`}
        rows={rows}
        rowKey={({ group }) => (group.value === null ? 'none' : `value ${group.value}`)}
        isStacked
        columns={[
          { title: by, value: ({ group }) => nameOf(group) },
          { title: 'Conversion', isNumber: true, value: ({ conversion }) => formatShare(conversion) },
          {
            title: `Against ${nameOf(first.group)}`,
            value: ({ comparison }) =>
              comparison ? (
                <span>
                  {sign(comparison.difference)}{' '}
                  <span class="soft">
                    ({sign(comparison.low)} to {sign(comparison.high)})
                  </span>
                </span>
              ) : (
                '–'
              ),
          },
          {
            title: 'p',
            isNumber: true,
            value: ({ comparison }) => (comparison ? formatP(comparison.p) : '–'),
          },
          {
            title: 'To tell it from chance',
            value: ({ comparison, people }) =>
              comparison?.needed === undefined
                ? '–'
                : waitFor(comparison.needed, [first.people, people], days),
          },
        ]}
      />
      <p class="soft">
        p is how often chance alone gives a difference at least as large, if one looks once, at a time that
        was fixed before: who looks again until p is small will find chance. Of the last step, in percentage
        points, with the interval that has the true difference in 95 of 100 such trials
        {others.length > 1 && `, for all ${others.length} comparisons together (p by Holm)`}. Fisher’s exact
        test; beyond 10,000 people a z-test.
      </p>
    </>
  )
}
