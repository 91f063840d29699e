import { formatCount, formatShare } from '../../parts/format'
import { fromDay } from '../../address/timeRange'
import type { Unit } from './retentionSearch'
import { averages, type Cohort, ofAll } from './toCohorts'

const days = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' })
const months = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric' })
const noFraction = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 0 })

function nameCohort(day: string, unit: Unit): string {
  const date = fromDay(day)
  if (!date) return day
  return (unit === 'month' ? months : days).format(date)
}

/** A line for each cohort: its size, and which part of it came back, period by period. */
export function CohortTable({ cohorts, unit }: { cohorts: readonly Cohort[]; unit: Unit }) {
  const means = averages(cohorts)
  const title = `Retention by ${unit}`
  return (
    <div class="table-frame cohort-frame" role="region" aria-label={title} tabIndex={0}>
      <table class="table cohorts">
        <caption class="visually-hidden">
          {title}: of the people of each row, the share that came back so many {unit}s later
        </caption>
        <thead>
          <tr>
            <th scope="col">{unit === 'day' ? 'First day' : `First ${unit}`}</th>
            <th scope="col" class="is-number">
              People
            </th>
            {means.map((_, period) => (
              <th key={period} scope="col" class="is-number">
                <span class="visually-hidden">{unit} </span>
                {period}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {means.some((mean) => mean !== null) && (
            <tr class="cohort-mean">
              <th scope="row">
                All, without open {unit}s{ofAll(cohorts).length < cohorts.length && ' and rows of one'}
              </th>
              <td class="is-number">
                {formatCount(ofAll(cohorts).reduce((sum, { size }) => sum + size, 0))}
              </td>
              {means.map((mean, period) => (
                <td key={period} class="is-number">
                  {mean === null ? '' : formatShare(mean)}
                </td>
              ))}
            </tr>
          )}
          {cohorts.map(({ day, size, cells }) => (
            <tr key={day}>
              <th scope="row">{nameCohort(day, unit)}</th>
              <td class="is-number">{formatCount(size)}</td>
              {means.map((_, period) => {
                const cell = cells[period]
                if (!cell) return <td key={period} />
                return (
                  <td
                    key={period}
                    class={cell.isOpen ? 'cohort-cell is-open' : 'cohort-cell'}
                    style={{ '--share': String(cell.share) }}
                  >
                    {noFraction.format(cell.share)}
                    {cell.isOpen && <span class="visually-hidden"> so far</span>}
                    <span class="cohort-people">{formatCount(cell.people)}</span>
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
