import type { Import, Report } from '../../data/imports'
import { formatCount } from '../../parts/format'
import { Table } from '../../parts/Table'

const fieldNames =
  'time event distinct_id anonymous_id device_id session_id insert_id url referer browser os device country language'.split(
    ' ',
  )
export const day = (time: string | null): string => time?.slice(0, 10) ?? ''

/** Which column each field is read from, for files whose columns may be called anything. */
function Columns({ report, read }: { report: Report; read: (map: Record<string, string>) => void }) {
  const choose = (event: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    event.preventDefault()
    const fields = [...new FormData(event.currentTarget)] as [string, string][]
    read(Object.fromEntries(fields))
  }
  return (
    <form onSubmit={choose}>
      <p>Columns that are no field become properties.</p>
      <div class="fields">
        {fieldNames.map((field) => (
          <label key={field} class="field">
            <span class="field-name">{field}</span>
            <select name={field}>
              {['-', ...report.columns].map((column) => (
                <option key={column} value={column} selected={(report.map?.[field] ?? '-') === column}>
                  {column === '-' ? 'none' : column}
                </option>
              ))}
            </select>
          </label>
        ))}
      </div>
      <p class="buttons">
        <button class="button">Read with these columns</button>
      </p>
    </form>
  )
}

/** What an import would do, before it does. */
export function Preview({ found, read }: { found: Import; read: (map: Record<string, string>) => void }) {
  const { report, kept_until: kept } = found
  if (!report) return null
  const what =
    report.kind === 'events' ? `events of about ${formatCount(report.persons)} people` : 'sums of days'
  return (
    <>
      <p>
        <b>
          {formatCount(report.taken)} of {formatCount(report.rows)} rows
        </b>{' '}
        are {what}, from {day(report.from)} to {day(report.until)}.
        {report.copies > 0 && ` ${formatCount(report.copies)} of them are in the file twice.`}
        {kept !== null && report.kind === 'events' && ` They are deleted for their age after ${kept}.`}
      </p>
      {report.refused.length > 0 && (
        <Table
          caption="Rows that are refused"
          rows={report.refused}
          rowKey={({ reason }) => reason}
          columns={[
            { title: 'Refused', value: ({ reason }) => reason },
            { title: 'Such as', value: ({ example }) => <span class="break">{example}</span> },
            { title: 'Rows', value: ({ rows }) => formatCount(rows), isNumber: true },
          ]}
        />
      )}
      {report.lost.length > 0 && (
        <details>
          <summary>{report.lost.length} columns and files have no place here</summary>
          <Table
            caption="What is lost"
            rows={report.lost}
            rowKey={({ field }) => field}
            columns={[
              { title: 'Lost', value: ({ field }) => <span class="break">{field}</span> },
              {
                title: 'Rows',
                value: ({ rows }) => (rows === null ? '' : formatCount(rows)),
                isNumber: true,
              },
            ]}
          />
        </details>
      )}
      <details open={report.map !== null}>
        <summary>The first rows of the file</summary>
        <Table
          caption="The first rows of the file"
          rows={[...report.first_rows.keys()]}
          rowKey={(row) => row}
          columns={report.columns.map((title, at) => ({
            title,
            value: (row: number) => report.first_rows[row]?.[at] ?? '',
          }))}
        />
      </details>
      {report.map && <Columns key={found.imported} report={report} read={read} />}
    </>
  )
}
