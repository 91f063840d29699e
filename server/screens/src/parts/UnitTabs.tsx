import { useScope } from '../shell/scope'
import { useSearch } from '../shell/useSearch'
import { Tabs } from './Tabs'

const titles = { hour: 'Hours', day: 'Days', week: 'Weeks', month: 'Months' }

/** What charts are drawn by: hours, days, weeks or months, as far as the time allows. */
export function UnitTabs() {
  const { range } = useScope()
  const [, setSearch] = useSearch()
  if (range.units.length < 2) return null
  return (
    <Tabs
      name="Chart"
      tabs={range.units.map((name) => ({ name, title: titles[name] }))}
      chosen={range.unit}
      choose={(each) => setSearch({ each }, { replace: true })}
    />
  )
}
