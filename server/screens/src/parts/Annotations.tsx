import { useContext, useState } from 'preact/hooks'
import { useMayWrite } from '../data/login'
import { type Saved, save, useSaved } from '../data/saved'
import { newUuid } from '../data/query'
import { FormDialog } from './FormDialog'
import { Moment } from './Moment'
import { OneCard } from './oneCard'

/** A moment as `<input type="datetime-local">` has it, by the browser's clock. */
const toLocal = (date: Date) =>
  new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)

type Annotation = Saved<'annotation'>

function AnnotationForm({ annotation, close }: { annotation: Annotation | undefined; close: () => void }) {
  const name = annotation?.name ?? newUuid()
  const at = annotation ? new Date(annotation.value.at) : new Date()
  return (
    <FormDialog
      title={annotation ? 'Change the annotation' : 'New annotation'}
      close={close}
      save={({ at: chosen = '', text = '' }) =>
        save('annotation', { name, value: { at: new Date(chosen).toISOString(), text } })
      }
      remove={annotation && (() => save('annotation', { name, value: null }))}
    >
      <label>
        Time
        <input type="datetime-local" name="at" defaultValue={toLocal(at)} required />
      </label>
      <label>
        Text
        <input name="text" defaultValue={annotation?.value.text ?? ''} maxLength={300} required />
      </label>
    </FormDialog>
  )
}

/** Texts at times, which charts show: a button that lists them, and forms to write them. */
export function Annotations() {
  const annotations = useSaved('annotation')
  const mayWrite = useMayWrite()
  const [edited, setEdited] = useState<Annotation | 'new'>()
  const isAlone = useContext(OneCard) !== undefined
  if (!mayWrite || isAlone) return null
  const newest = annotations.toSorted((a, b) => (a.value.at < b.value.at ? 1 : -1))
  return (
    <>
      {newest.length > 0 && (
        <>
          <button class="button quiet" type="button" popovertarget="annotations">
            Annotations
          </button>
          <div id="annotations" class="menu is-central" popover="auto">
            <ul>
              {newest.map((each) => (
                <li key={each.name}>
                  <span>
                    <Moment time={each.value.at} show="day" /> {each.value.text}
                  </span>
                  <button
                    class="button quiet"
                    type="button"
                    aria-label={`Change ${each.value.text}`}
                    onClick={() => setEdited(each)}
                  >
                    Change
                  </button>
                </li>
              ))}
            </ul>
          </div>
        </>
      )}
      <button class="button quiet" type="button" aria-haspopup="dialog" onClick={() => setEdited('new')}>
        Annotate
      </button>
      {edited && (
        <AnnotationForm
          annotation={edited === 'new' ? undefined : edited}
          close={() => setEdited(undefined)}
        />
      )}
    </>
  )
}
