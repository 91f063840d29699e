import { useState } from 'preact/hooks'
import type { Answer, Json } from '../../data/query'
import { formatCount } from '../../parts/format'
import { PersonLink, LongText } from '../../parts/cells'
import { isNumber, showValue } from './showValue'

/** A page draws so many rows at once: some thousand with many columns would take a browser seconds. */
const firstRows = 200
const moreRows = 1000
/** A longer text has several lines. */
const wideText = 40

function cellClass(value: Json | undefined, type: string): string | undefined {
  if (isNumber(type)) return 'is-number'
  return (showValue(value)?.length ?? 0) > wideText ? 'is-wide' : undefined
}

function Value({ value }: { value: Json | undefined }) {
  const text = showValue(value)
  if (text === undefined) return <span class="soft">NULL</span>
  return <LongText text={text} />
}

export function ResultTable({ answer }: { answer: Answer }) {
  const { columns, rows } = answer
  const [shown, setShown] = useState(firstRows)
  const rest = rows.length - shown
  const environmentAt = columns.findIndex(({ name }) => name === 'environment')
  const environmentOf = (row: readonly Json[]) => {
    const environment = row[environmentAt]
    return typeof environment === 'string' ? { environment } : {}
  }
  return (
    <>
      <div class="table-frame sql-table" role="region" aria-label="Rows" tabIndex={0}>
        <table class="table">
          <caption class="visually-hidden">Rows of the result</caption>
          <thead>
            <tr>
              {columns.map(({ name, type }, at) => (
                <th key={at} scope="col" class={isNumber(type) ? 'is-number' : undefined}>
                  {name} <span class="sql-type">{type.toLowerCase()}</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, shown).map((row, at) => (
              <tr key={at}>
                {columns.map(({ name, type }, column) => (
                  <td key={column} class={cellClass(row[column], type)}>
                    {name === 'person_id' && typeof row[column] === 'string' ? (
                      <PersonLink id={row[column]} {...environmentOf(row)} />
                    ) : (
                      <Value value={row[column]} />
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rest > 0 && (
        <p class="soft">
          The first {formatCount(shown)} are drawn.{' '}
          <button class="button" type="button" onClick={() => setShown(shown + moreRows)}>
            Show {formatCount(Math.min(rest, moreRows))} more
          </button>
        </p>
      )}
    </>
  )
}
