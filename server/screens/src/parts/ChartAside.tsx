import { useSearch } from '../address/location'
import { useScope } from '../address/scope'
import { Annotations } from './Annotations'
import { Tabs } from './Tabs'

const titles = { hour: 'Hours', day: 'Days', week: 'Weeks', month: 'Months' }

/** Beside a chart over time: by which unit it is drawn, as far as the time allows, and the annotations that it shows. */
export function ChartAside() {
  const { range } = useScope()
  const [, setSearch] = useSearch()
  return (
    <>
      {range.units.length > 1 && (
        <Tabs
          name="Chart"
          tabs={range.units.map((name) => ({ name, title: titles[name] }))}
          chosen={range.unit}
          choose={(each) => setSearch({ each }, { replace: true })}
        />
      )}
      <Annotations />
    </>
  )
}
