import { useMemo } from 'preact/hooks'
import { isFixed } from '../../data/guest'
import type { Json } from '../../data/query'
import { CellButton } from '../../parts/cells'
import { formatCount } from '../../parts/format'
import { Table } from '../../parts/Table'
import { useFilters } from '../../address/useFilters'
import { fewMeasurements, type Vital } from './metrics'
import { Rating } from './Rating'

interface Cell {
  p75: number
  rating: Json
  measurements: number
}

interface PageRow {
  path: string | null
  cells: Map<string, Cell>
}

const mostDevices = 4
const all = 'all'

/** `[path, device, p75, rating, measurements]` as a row for each page, in their order. */
function toPages(rows: readonly Json[][]): { pages: PageRow[]; devices: string[] } {
  const pages = new Map<string | null, PageRow>()
  const devices = new Map<string, number>()
  for (const [value, device, p75, rating = null, measurements] of rows) {
    const path = typeof value === 'string' ? value : null
    const page = pages.get(path) ?? { path, cells: new Map<string, Cell>() }
    pages.set(path, page)
    const cell = { p75: Number(p75), rating, measurements: Number(measurements) }
    page.cells.set(String(device), cell)
    if (device !== all) devices.set(String(device), (devices.get(String(device)) ?? 0) + cell.measurements)
  }
  const sorted = [...devices].toSorted(([, a], [, b]) => b - a).map(([device]) => device)
  return { pages: [...pages.values()], devices: sorted.slice(0, mostDevices) }
}

/** A metric of each page, on all devices and on each of those with most measurements. */
export function VitalPages({ rows, vital }: { rows: readonly Json[][]; vital: Vital }) {
  const { add } = useFilters()
  const { pages, devices } = useMemo(() => toPages(rows), [rows])
  const choose = isFixed()
    ? undefined
    : ({ path }: PageRow) => add({ field: 'path', operator: 'is', values: [path ?? ''] })
  const column = (title: string, device: string) => ({
    title,
    isNumber: true,
    value: ({ cells }: PageRow) => {
      const cell = cells.get(device)
      return cell ? (
        <span class={cell.measurements < fewMeasurements ? 'soft' : undefined}>
          {vital.format(cell.p75)} <Rating of={cell.rating} />
        </span>
      ) : (
        '–'
      )
    },
  })
  return (
    <Table
      caption={`${vital.name} by page and device`}
      rows={pages}
      rowKey={({ path }) => (path === null ? 'none' : `path ${path}`)}
      chooseRow={choose}
      isStacked
      columns={[
        {
          title: 'Page',
          value: (row) => (
            <CellButton title={`Show only ${row.path ?? 'no path'}`} choose={choose && (() => choose(row))}>
              {row.path ?? '(no path)'}
            </CellButton>
          ),
        },
        column('All devices', all),
        ...devices.map((device) => column(device, device)),
        {
          title: 'Measurements',
          isNumber: true,
          value: ({ cells }) => formatCount(cells.get(all)?.measurements ?? 0),
        },
      ]}
    />
  )
}
