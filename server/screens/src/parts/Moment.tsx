const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' })
const dayAndClock = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
})
const whole = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'long' })

const forms = {
  clock: (date: Date) => clock.format(date),
  day: (date: Date) => day.format(date),
  both: (date: Date) => `${day.format(date)}, ${clock.format(date)}`,
  /** The clock alone today. */
  recent: (date: Date) =>
    date.toDateString() === new Date().toDateString() ? clock.format(date) : dayAndClock.format(date),
}

/** A moment by the browser's clock; the pointer over it shows all of it. */
export function Moment({ time, show = 'both' }: { time: string; show?: keyof typeof forms }) {
  const date = new Date(time)
  // Years before 1 and after 9999, and infinities, come as DuckDB writes them.
  if (Number.isNaN(date.getTime())) return <>{time}</>
  return (
    <time dateTime={date.toISOString()} title={whole.format(date)}>
      {forms[show](date)}
    </time>
  )
}
