import { useState } from 'preact/hooks'
import { useStore } from '../../data/createStore'
import { guest } from '../../data/guest'
import { useMayWrite } from '../../data/login'
import { newUuid } from '../../data/query'
import { type Saved, save, useIsKnown, useSaved } from '../../data/saved'
import { keptOf } from '../../address/cardAddress'
import { boardsPath } from '../../address/guestAddress'
import { addressOf, changeSearch, openPage, useSearch } from '../../address/location'
import { useScope } from '../../address/scope'
import { Card } from '../../parts/Card'
import { FormDialog } from '../../parts/FormDialog'
import { Empty, Loading } from '../../parts/notes'
import { Table } from '../../parts/Table'
import type { Page } from '../../shell/Page'
import { Board } from './Board'
import { BoardCell } from './BoardCell'

type SavedBoard = Saved<'board'>

const addressOfBoard = (id: string, search: string) =>
  addressOf(boardsPath, changeSearch(new URLSearchParams(search), { id }))

function BoardList({ boards }: { boards: readonly SavedBoard[] }) {
  const [search] = useSearch()
  const { environment } = useScope()
  const mayWrite = useMayWrite()
  const [isNew, setNew] = useState(false)
  const sorted = boards.toSorted((a, b) => (a.value.title < b.value.title ? -1 : 1))

  const make = async ({ title = '' }: Record<string, string>) => {
    const id = newUuid()
    const kept = keptOf(search, environment).toString()
    await save('board', { name: id, value: { title, search: kept, version: 1, cards: [] } })
    openPage(addressOfBoard(id, kept))
  }
  return (
    <Card
      title="All boards"
      aside={
        mayWrite && (
          <button class="button" type="button" aria-haspopup="dialog" onClick={() => setNew(true)}>
            New board
          </button>
        )
      }
    >
      {boards.length === 0 ? (
        <Empty>
          A board shows cards of other pages on one. “Board” in the menu ⋯ of a card puts it there.
        </Empty>
      ) : (
        <Table
          caption="All boards"
          rows={sorted}
          rowKey={({ name }) => name}
          columns={[
            {
              title: 'Board',
              value: ({ name, value }) => <a href={addressOfBoard(name, value.search)}>{value.title}</a>,
            },
            { title: 'Environment', value: ({ value }) => new URLSearchParams(value.search).get('env') },
            { title: 'Cards', isNumber: true, value: ({ value }) => value.cards.length },
          ]}
        />
      )}
      {isNew && (
        <FormDialog title="New board" save={make} close={() => setNew(false)}>
          <label>
            Name
            <input name="title" maxLength={120} required />
          </label>
        </FormDialog>
      )}
    </Card>
  )
}

/** Cards of other pages on one: all boards, or the one that the address or a guest's link names. */
export function Boards({ pages }: { pages: readonly Page[] }) {
  const [search] = useSearch()
  const cards = useStore(guest)?.cards
  const boards = useSaved('board')
  const isKnown = useIsKnown()
  const id = search.get('id')
  if (cards)
    return (
      <div class="board">
        {cards.map((card) => (
          <div key={card.id} class={`board-cell is-${card.width}`}>
            <BoardCell card={card} pages={pages} />
          </div>
        ))}
        {cards.length === 0 && <Empty>Nothing on this board is for guests.</Empty>}
      </div>
    )
  if (id === null) return <BoardList boards={boards} />
  const board = boards.find(({ name }) => name === id)
  if (board) return <Board key={id} board={board} pages={pages} />
  if (!isKnown) return <Loading />
  return (
    <p>
      This board was removed. <a href={addressOf(boardsPath)}>All boards</a>
    </p>
  )
}
