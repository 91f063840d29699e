import { useEffect } from 'preact/hooks'
import { useStore } from '../../data/createStore'
import { login } from '../../data/login'
import { Card } from '../../parts/Card'
import { Empty } from '../../parts/notes'
import { Moment } from '../../parts/Moment'
import { titleOf } from '../../../../src/sql/dialects/dialects'
import { clearHistory, history, type PastStatement, readHistory } from './history'

/** The statements that were run in this browser; a click puts one into the editor. */
export function History({ choose }: { choose: (past: PastStatement) => void }) {
  const user = useStore(login).user?.user ?? ''
  const past = useStore(history)
  useEffect(() => readHistory(user), [user])

  const clear = past.length > 0 && (
    <button class="button quiet" type="button" onClick={() => clearHistory(user)}>
      Clear
    </button>
  )
  return (
    <Card title="History" aside={clear} class="sql-history">
      {past.length === 0 ? (
        <Empty>What you run is kept here, in this browser only.</Empty>
      ) : (
        <ol class="sql-past" aria-label="Statements that were run, the newest first">
          {past.map((each) => (
            <li key={`${each.dialect} ${each.statement}`}>
              <button class="cell-button code" type="button" onClick={() => choose(each)}>
                {each.statement.length > 200 ? `${each.statement.slice(0, 200)} …` : each.statement}
              </button>
              <span class="soft">
                {each.dialect && `${titleOf(each.dialect)}, `}
                <Moment time={new Date(each.at).toISOString()} />
              </span>
            </li>
          ))}
        </ol>
      )}
    </Card>
  )
}
