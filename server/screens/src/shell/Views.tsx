import { useState } from 'preact/hooks'
import { useStore } from '../data/createStore'
import { useMayWrite } from '../data/login'
import { type Saved, save, useSaved } from '../data/saved'
import { FormDialog } from '../parts/FormDialog'
import { LinkList, ShareForm } from './Links'
import { Metrics } from './Metrics'
import { addressOf, place } from '../address/location'
import type { Page } from './Page'

type View = Saved<'view'>

const addressOfView = ({ value: { path, search } }: View) => addressOf(path, new URLSearchParams(search))

/** Throws instead of replacing what has the name already. */
async function saveView({ name, value, was }: View & { was?: string | undefined }, known: readonly View[]) {
  if (name !== was && known.some((each) => each.name === name))
    throw new Error(`There is a view ${name} already.`)
  await save('view', { name, value, was })
}

/** The addresses that users have saved, to be opened from any page, and a way to save the one that is shown. */
export function Views({ pages }: { pages: readonly Page[] }) {
  const views = useSaved('view')
  const metrics = useSaved('metric')
  const { path, search } = useStore(place)
  const mayWrite = useMayWrite()
  const [isSharing, setSharing] = useState(false)
  const [edited, setEdited] = useState<View | 'new'>()
  const here = addressOf(path, search)
  const maySave = mayWrite && path !== '/app/sql'
  if (views.length + metrics.length === 0 && !mayWrite) return null

  const view = edited === 'new' ? undefined : edited
  return (
    <>
      <button class="button quiet" type="button" popovertarget="views">
        Views
      </button>
      <div id="views" class="menu" popover="auto">
        {views.length > 0 && (
          <ul aria-label="Saved views">
            {views.map((each) => (
              <li key={each.name}>
                <a
                  href={addressOfView(each)}
                  aria-current={addressOfView(each) === here ? 'page' : undefined}
                  onClick={({ currentTarget }) =>
                    currentTarget.closest<HTMLElement>('[popover]')?.hidePopover()
                  }
                >
                  {each.name}
                </a>
                {mayWrite && (
                  <button
                    class="button quiet"
                    type="button"
                    aria-label={`Change the view ${each.name}`}
                    onClick={() => setEdited(each)}
                  >
                    Change
                  </button>
                )}
              </li>
            ))}
          </ul>
        )}
        <LinkList pages={pages} />
        <Metrics />
        {mayWrite && (
          <p class="buttons">
            {maySave && (
              <button class="button" type="button" onClick={() => setEdited('new')}>
                Save this view
              </button>
            )}
            <button class="button" type="button" onClick={() => setSharing(true)}>
              Share by a link
            </button>
          </p>
        )}
      </div>
      {isSharing && <ShareForm pages={pages} close={() => setSharing(false)} />}
      {edited && (
        <FormDialog
          title={view ? 'Change the view' : 'Save this view'}
          close={() => setEdited(undefined)}
          save={({ name = '' }) => {
            const value = view?.value ?? { path, search: search.toString() }
            return saveView({ name, value, was: view?.name }, views)
          }}
          remove={view && (() => save('view', { name: view.name, value: null }))}
        >
          <label>
            Name
            <input name="name" defaultValue={view?.name ?? ''} maxLength={120} required />
          </label>
          {!view && <p class="soft">It keeps the page, the time, the filters and all that is chosen.</p>}
        </FormDialog>
      )}
    </>
  )
}
