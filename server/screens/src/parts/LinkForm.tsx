import { type ComponentChildren, Fragment } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { type SavedValues, saveLink, useSaved } from '../data/saved'
import { fromDay, startOfDay, toDay } from '../address/timeRange'
import { FormDialog, ShownOnce } from './FormDialog'

const escape = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')

const frameOf = (address: string, title: string) =>
  `<iframe src="${address}" title="${escape(title)}" width="100%" height="420" loading="lazy" style="border:0"></iframe>`

type Link = SavedValues['link']

interface Props {
  title: string
  /** What the name is at first. */
  name?: string
  /** What the link shows, by what was chosen. */
  show: (fields: Record<string, string>) => Omit<Link, 'ends_at' | 'origins'>
  /** A frame is what it is for: its title. */
  framed?: string
  close: () => void
  children: ComponentChildren
}

/** The form for a link for guests, and then its address. */
export function LinkForm({ title, name: usual = '', show, framed, close, children }: Props) {
  const links = useSaved('link')
  const made = useRef<string | undefined>(undefined)
  const [address, setAddress] = useState<string>()

  const make = async ({ name = '', until = '', origins = '', ...rest }: Record<string, string>) => {
    if (links.some((link) => link.name === name)) throw new Error(`There is a link ${name} already.`)
    const last = fromDay(until)
    made.current = await saveLink({
      name,
      value: {
        ...show(rest),
        ends_at: last ? startOfDay(last, 1).toISOString() : null,
        origins: origins.split(/[\s,]+/).filter(Boolean),
      },
    })
  }
  // A form that has saved closes itself.
  const next = () => (made.current === undefined ? close() : setAddress(made.current))

  if (address !== undefined) {
    if (framed === undefined) return <ShownOnce title="The link" value={address} close={close} />
    return (
      <ShownOnce title="The line for your page" value={frameOf(address, framed)} isSource close={close} />
    )
  }
  return (
    <FormDialog title={title} close={next} save={make}>
      <label>
        Name
        <input name="name" maxLength={120} defaultValue={usual} required />
      </label>
      <Fragment>{children}</Fragment>
      <label>
        Last day, if any
        <input name="until" type="date" min={toDay(new Date())} />
      </label>
      <label>
        Sites that may show it in a frame
        <input name="origins" placeholder="https://www.example.com" required={framed !== undefined} />
      </label>
    </FormDialog>
  )
}
