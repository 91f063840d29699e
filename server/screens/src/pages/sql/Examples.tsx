import { base } from '../../data/base'
import { Card } from '../../parts/Card'
import { useScope } from '../../address/scope'
import { type Example, listExamples } from './listExamples'

/** The pages of docs about SQL, which the service serves. */
const pages = [
  ['sql.md', 'Views, columns and times'],
  ['answers.md', 'Macros, and what each counts'],
] as const

/** Statements to begin with, and the pages that describe more. */
export function Examples({ choose }: { choose: (example: Example) => void }) {
  const { environment } = useScope()
  return (
    <Card title="Examples" class="sql-examples">
      <ul class="sql-past">
        {listExamples(environment).map((example) => (
          <li key={example.title}>
            <button class="cell-button" type="button" onClick={() => choose(example)}>
              {example.title}
            </button>
          </li>
        ))}
      </ul>
      <p class="soft">
        {pages.map(([file, title], at) => (
          <span key={file}>
            {at === 0 ? 'Read on: ' : ' · '}
            <a href={`${base}/docs/${file}`} target="_blank">
              {title}
            </a>
          </span>
        ))}
      </p>
    </Card>
  )
}
