import { useState } from 'preact/hooks'
import { useStore } from '../data/createStore'
import { toProblem } from '../data/Problem'
import { save, useSaved } from '../data/saved'
import { shownAsks } from '../data/shownAsks'
import { boardsPath, findRefusal } from '../address/guestAddress'
import { LinkForm } from '../parts/LinkForm'
import { Moment } from '../parts/Moment'
import { changeSearch, place } from '../address/location'
import type { Page } from './Page'
import { pickScope, useScope } from '../address/scope'

const titleOf = (pages: readonly Page[], path: string) =>
  pages.find((page) => page.path === path)?.title ?? path

/** The links by which guests see figures without a login, each with a way to take it back. */
export function LinkList({ pages }: { pages: readonly Page[] }) {
  const links = useSaved('link')
  const boards = useSaved('board')
  const titleOfBoard = (id: string) =>
    boards.find(({ name }) => name === id)?.value.title ?? 'a board that was removed'
  const [message, setMessage] = useState('')
  const takeBack = (name: string) =>
    save('link', { name, value: null }).catch((error: unknown) => setMessage(toProblem(error).message))
  if (links.length === 0) return null
  return (
    <>
      <ul aria-label="Links for guests">
        {links.map(({ name, value: { path, ends_at: end, board, card } }) => (
          <li key={name}>
            <span>
              {name}{' '}
              <span class="soft">
                shows{' '}
                {path === null
                  ? 'all pages'
                  : board === undefined
                    ? `${card === undefined ? '' : 'a card of '}${titleOf(pages, path)}`
                    : titleOfBoard(board)}
                {end !== null && (
                  <>
                    {' '}
                    until <Moment time={end} />
                  </>
                )}
              </span>
            </span>
            <button
              class="button quiet"
              type="button"
              aria-label={`Take back the link ${name}`}
              onClick={() => void takeBack(name)}
            >
              Take back
            </button>
          </li>
        ))}
      </ul>
      {message && <p role="alert">{message}</p>}
    </>
  )
}

/** The form for a link to the page that is shown, or to all pages. */
export function ShareForm({ pages, close }: { pages: readonly Page[]; close: () => void }) {
  const { path, search } = useStore(place)
  const { environment } = useScope()
  const boards = useSaved('board')
  const board = path === boardsPath ? boards.find(({ name }) => name === search.get('id')) : undefined
  const refusal = findRefusal({ path, search: search.toString() }, false)
  const kept = board && new URLSearchParams(board.value.search)

  const show = ({ what }: Record<string, string>) => {
    if (what === 'board' && board && kept)
      return { path, board: board.name, environment: kept.get('env') ?? '', answers: [], search: '' }
    const isPage = what === 'page'
    return {
      path: isPage ? path : null,
      environment,
      answers: isPage ? shownAsks() : null,
      search: (isPage
        ? changeSearch(search, { env: environment })
        : changeSearch(pickScope(search), { env: environment, filter: undefined })
      ).toString(),
    }
  }
  return (
    <LinkForm title="Share by a link" show={show} close={close}>
      <label>
        What it shows
        <select name="what">
          {board && <option value="board">The board {board.value.title}</option>}
          {refusal === undefined && <option value="page">{titleOf(pages, path)} as it is now</option>}
          <option value="all">All pages but Boards, Live, People, Plan, SQL and Set up</option>
        </select>
      </label>
      <p class="soft">
        {refusal !== undefined && !board && `${refusal} `}
        Whoever has the link sees it without a login. Guests change the time of one page; on all pages they
        also filter. They never see people or SQL.{' '}
        {board && 'Whatever is put on the board later is shown, too.'}
      </p>
    </LinkForm>
  )
}
