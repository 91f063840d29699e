const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' })
const whole = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'long' })

/** A moment by the browser's clock; the pointer over it shows all of it. */
export function Moment({ time, show = 'both' }: { time: string; show?: 'clock' | 'day' | 'both' }) {
  const date = new Date(time)
  // Years before 1 and after 9999, and infinities, come as DuckDB writes them.
  if (Number.isNaN(date.getTime())) return <>{time}</>
  const parts = [show === 'clock' ? '' : day.format(date), show === 'day' ? '' : clock.format(date)]
  return (
    <time dateTime={date.toISOString()} title={whole.format(date)}>
      {parts.filter(Boolean).join(', ')}
    </time>
  )
}
