import { useMemo } from 'preact/hooks'
import { useAnswer } from '../../data/useAnswer'
import { AnswerBody } from '../../parts/AnswerCard'
import { Card } from '../../parts/Card'
import { listSchema, type Relation, schemaStatement } from './listSchema'

interface Props {
  /** Another value asks again: after a statement the tables may be others. */
  askedAt: unknown
  insert: (text: string) => void
}

function RelationPart({ relation, insert }: { relation: Relation; insert: Props['insert'] }) {
  const { name, comment, columns, parameters } = relation
  return (
    <details class="sql-relation">
      <summary>
        <span class="code">{name}</span>
        {parameters !== undefined && <span class="soft"> ( )</span>}
      </summary>
      {comment && <p class="soft">{comment}</p>}
      <p>
        <button
          class="button quiet code"
          type="button"
          onClick={() => insert(parameters === undefined ? name : `${name}()`)}
        >
          {parameters === undefined ? `Insert ${name}` : `Insert ${name}(${parameters})`}
        </button>
      </p>
      {columns.length > 0 && (
        <ul aria-label={`Columns of ${name}`}>
          {columns.map((column) => (
            <li key={column.name}>
              <button class="cell-button code" type="button" onClick={() => insert(column.name)}>
                {column.name}
              </button>{' '}
              <span class="soft sql-type">{column.type.toLowerCase()}</span>
              {column.comment && <span class="soft sql-comment">{column.comment}</span>}
            </li>
          ))}
        </ul>
      )}
    </details>
  )
}

/** What there is to be asked: views, tables and macros. A click puts a name into the statement. */
export function Schema({ askedAt, insert }: Props) {
  const asked = useAnswer(schemaStatement.text, { askedAt })
  const relations = useMemo(() => listSchema(asked.answer?.rows ?? []), [asked.answer])
  const shown = asked.answer ? { ...asked, isLoading: false } : asked
  const part = (title: string, isMember: (relation: Relation) => boolean) => {
    const members = relations.filter(isMember)
    return (
      members.length > 0 && (
        <section>
          <h3>{title}</h3>
          {members.map((relation) => (
            <RelationPart key={`${relation.catalog} ${relation.name}`} relation={relation} insert={insert} />
          ))}
        </section>
      )
    )
  }
  return (
    <Card title="Schema" class="sql-schema">
      <AnswerBody asked={shown} empty="There are no tables yet.">
        {() => (
          <div class="sql-relations" tabIndex={0} role="region" aria-label="Views, tables and macros">
            {part('Views', ({ catalog, parameters }) => catalog === 'analytics' && parameters === undefined)}
            {part('Macros', ({ parameters }) => parameters !== undefined)}
            {part('Tables', ({ catalog, parameters }) => catalog !== 'analytics' && parameters === undefined)}
          </div>
        )}
      </AnswerBody>
    </Card>
  )
}
