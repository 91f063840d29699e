import { useEffect, useRef, useState } from 'preact/hooks'
import { PlainTable, type TableProps } from './PlainTable'

/** More rows are scrolled within the table, below its head. */
const mostRows = 100

/** A table that is scrolled within its card where it is too wide or too long, by the keyboard, too. */
export function Table<Row>(props: TableProps<Row>) {
  const frame = useRef<HTMLDivElement>(null)
  const [isScrolled, setScrolled] = useState(false)
  const isLong = props.rows.length > mostRows

  useEffect(() => {
    const element = frame.current
    if (!element) return
    const look = () =>
      setScrolled(element.scrollWidth > element.clientWidth || element.scrollHeight > element.clientHeight)
    const observer = new ResizeObserver(look)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])

  return (
    <div
      ref={frame}
      class={`table-frame ${isLong ? 'is-long' : ''}`}
      {...(isScrolled ? { tabIndex: 0, role: 'group', 'aria-label': props.caption } : {})}
    >
      <PlainTable {...props} />
    </div>
  )
}
