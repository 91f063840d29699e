import { useContext, useId, useRef, useState } from 'preact/hooks'
import { askOfAlert } from '../data/alerts'
import type { Ask } from '../data/asks'
import { describeFilter } from '../data/filters'
import { useMayWrite } from '../data/login'
import { downloadAddress, newUuid } from '../data/query'
import { loadSaved, save, savedBoards, useSaved } from '../data/saved'
import { shownAsks } from '../data/shownAsks'
import { keptOf, ownOf, searchOfCard } from '../address/cardAddress'
import { findRefusal } from '../address/guestAddress'
import { addressOf, changeSearch, usePlace } from '../address/location'
import { useScope } from '../address/scope'
import { AlertForm } from './AlertForm'
import { FormDialog } from './FormDialog'
import { LinkForm } from './LinkForm'
import { OneCard } from './oneCard'
import { ShowSql } from './ShowSql'

interface OfCard {
  /** The card's name on its page. */
  name: string
  title: string
  /** What its asks are told apart by. */
  asking: string
  close: () => void
}

const mostCards = 24

/** Puts the card, as it is shown, behind the others of a board. */
function BoardForm({ name, title, asking, close }: OfCard) {
  const { path, search } = usePlace()
  const { environment } = useScope()
  const boards = useSaved('board').filter(
    ({ value }) => new URLSearchParams(value.search).get('env') === environment,
  )
  const [first] = boards

  const add = async ({ board = '', title: called = '' }: Record<string, string>) => {
    // Somebody else may have changed the board since this page was loaded.
    await loadSaved()
    const kept = savedBoards().find((each) => each.name === board)
    const { value } = kept ?? {
      value: { title: called, search: keptOf(search, environment).toString(), version: 0, cards: [] },
    }
    if (board && !kept) throw new Error('This board was removed.')
    if (value.cards.length === mostCards) throw new Error(`A board has ${mostCards} cards at most.`)
    const own = ownOf(search, new URLSearchParams(value.search))
    const card = { id: newUuid(), path, search: searchOfCard(search, own), card: name, title, width: 3, own }
    await save('board', {
      name: kept?.name ?? newUuid(),
      value: {
        ...value,
        version: value.version + 1,
        cards: [...value.cards, { ...card, asks: shownAsks(asking) }],
      },
    })
  }
  const [chosen, choose] = useState<string>()
  const isNew = (chosen ?? first?.name ?? '') === ''
  return (
    <FormDialog title={`Add to a board: ${title}`} save={add} close={close}>
      {first && (
        <label>
          Board
          <select name="board" onChange={({ currentTarget }) => choose(currentTarget.value)}>
            {boards.map(({ name: id, value }) => (
              <option key={id} value={id}>
                {value.title}
              </option>
            ))}
            <option value="">A new board</option>
          </select>
        </label>
      )}
      {isNew && (
        <label>
          Name of the new board
          <input name="title" maxLength={120} required />
        </label>
      )}
      <p class="soft">Where its time or filters are not the board's, the card keeps its own.</p>
    </FormDialog>
  )
}

/** Makes a link that shows this card alone, and the line that puts it on another page. */
function EmbedForm({ name, title, asking, close }: OfCard) {
  const { path, search } = usePlace()
  const { environment } = useScope()
  const show = () => ({
    ...{ path, card: name, environment, answers: shownAsks(asking) },
    search: changeSearch(search, { env: environment }).toString(),
  })
  return (
    <LinkForm title={`Embed: ${title}`} name={title} show={show} framed={title} close={close}>
      <p class="soft">Whoever opens your page sees this card without a login, with its time and filters.</p>
    </LinkForm>
  )
}

/** Makes an alert about what the card shows. */
function CardAlert({ title, ask, close }: Pick<OfCard, 'title' | 'close'> & { ask: Ask }) {
  const { path, search } = usePlace()
  const { filters } = useScope()
  const figure = {
    ask,
    label: [title, ...filters.map(describeFilter)].join(', ').slice(0, 300),
  }
  const page = location.origin + addressOf(path)
  return (
    <AlertForm name={title} draft={{ figures: [figure], page, search: search.toString() }} close={close} />
  )
}

const forms = { board: BoardForm, embed: EmbedForm }

interface Props extends Omit<OfCard, 'name' | 'close'> {
  /** Without it the card cannot stand alone. */
  name: string | undefined
  ask: Ask
  whole: Ask
}

/** A menu of what can be done with a card: its rows as a file, its SQL, a place on a board or another site, its page. */
export function CardTools({ name, title, asking, ask, whole }: Props) {
  const { path, search } = usePlace()
  const isAlone = useContext(OneCard) !== undefined
  const mayWrite = useMayWrite()
  const id = useId()
  const menu = useRef<HTMLDivElement>(null)
  const [form, setForm] = useState<keyof typeof forms | 'sql' | 'alert'>()
  const Form = (form === 'board' || form === 'embed') && forms[form]
  const ofAlert = askOfAlert(ask)
  const csv = downloadAddress(whole, 'csv', title)
  const mayEmbed = findRefusal({ path, search: search.toString() }, false) === undefined
  const close = () => setForm(undefined)

  /** Below the button, and with the page when that is scrolled. */
  const place = (button: Element) => {
    const { right, bottom } = button.getBoundingClientRect()
    const { clientWidth } = document.documentElement
    if (menu.current) menu.current.style.inset = `${bottom + scrollY}px ${clientWidth - right}px auto auto`
  }
  const item = (which: NonNullable<typeof form>, text: string, about: string) => (
    <button
      class="button quiet"
      type="button"
      aria-haspopup="dialog"
      aria-label={`${text}: ${title}`}
      onClick={() => setForm(which)}
    >
      {text} <span class="soft">{about}</span>
    </button>
  )
  return (
    <div class="card-tools">
      <button
        class="button quiet"
        type="button"
        popovertarget={id}
        aria-label={`More: ${title}`}
        title="CSV, SQL and more"
        onClick={({ currentTarget }) => place(currentTarget)}
      >
        ⋯
      </button>
      {/* What is chosen closes it, and the button has the focus again before a dialog opens. */}
      <div
        ref={menu}
        id={id}
        class="menu card-menu"
        popover="auto"
        role="group"
        aria-label={`What to do with ${title}`}
        onClick={() => menu.current?.hidePopover()}
      >
        {csv !== undefined && (
          <a class="button quiet" href={csv} download aria-label={`CSV: ${title}`}>
            CSV <span class="soft">its rows as a file</span>
          </a>
        )}
        {item('sql', 'SQL', 'the statement behind it')}
        {name !== undefined && mayWrite && item('board', 'Board', 'puts it on a board')}
        {name !== undefined && mayWrite && mayEmbed && item('embed', 'Embed', 'puts it on another site')}
        {ofAlert && mayWrite && item('alert', 'Alert', 'tells you of its figures')}
        {isAlone && (
          <a class="button quiet" href={addressOf(path, search)} aria-label={`Open: ${title}`}>
            Open <span class="soft">its page</span>
          </a>
        )}
      </div>
      {form === 'sql' && <ShowSql ask={ask} of={title} close={close} />}
      {form === 'alert' && ofAlert && <CardAlert title={title} ask={ofAlert} close={close} />}
      {Form && name !== undefined && <Form {...{ name, title, asking, close }} />}
    </div>
  )
}
