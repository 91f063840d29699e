import { type ComponentChildren, Fragment } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { type SavedValues, saveLink, useSaved } from '../data/saved'
import { fromDay, startOfDay, toDay } from '../address/timeRange'
import { FormDialog } from './FormDialog'

const escape = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')

interface MadeProps {
  address: string
  /** The title of a frame that shows it; without it the address alone is told. */
  framed: string | undefined
  close: () => void
}

/** The one time that the address of a link is shown. */
function MadeLink({ address, framed, close }: MadeProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [isCopied, setCopied] = useState(false)
  useEffect(() => dialog.current?.showModal(), [])
  const text =
    framed === undefined
      ? address
      : `<iframe src="${address}" title="${escape(framed)}" width="100%" height="420" loading="lazy" style="border:0"></iframe>`
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
  }
  return (
    <dialog ref={dialog} class="sql-dialog form-dialog" aria-label="The link" onClose={close}>
      <form method="dialog">
        <h2>{framed === undefined ? 'The link' : 'The line for your page'}</h2>
        <label>
          Copy it now: it is shown only once
          {framed === undefined ? (
            <input value={text} readOnly onFocus={({ currentTarget }) => currentTarget.select()} />
          ) : (
            <textarea
              rows={4}
              value={text}
              readOnly
              spellcheck={false}
              onFocus={({ currentTarget }) => currentTarget.select()}
            />
          )}
        </label>
        <p class="buttons">
          <button class="button strong">Done</button>
          {/* Only pages over https and on this machine's own address have a clipboard. */}
          {navigator.clipboard && (
            <button class="button" type="button" onClick={() => void copy()}>
              {isCopied ? 'Copied' : 'Copy'}
            </button>
          )}
        </p>
      </form>
    </dialog>
  )
}

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

  if (address !== undefined) return <MadeLink address={address} framed={framed} close={close} />
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
