import type { Json } from '../../data/query'
import { Moment } from '../../parts/Moment'
import { PersonLink } from '../../parts/PersonLink'

const text = (value: Json | undefined) => (typeof value === 'string' ? value : '')

/** The newest errors, each with its place, its person and its stack. */
export const NewestErrors = ({ rows }: { rows: readonly Json[][] }) => (
  <ul class="error-list">
    {rows.map(([time, name, message, path, browser, release, person, stack, id]) => (
      <li key={String(id)}>
        <details>
          <summary>
            <Moment time={text(time)} show="recent" /> {text(name) && `${text(name)}: `}
            {text(message)}
          </summary>
          <p class="soft">
            {[text(path), text(browser), text(release) && `release ${text(release)}`]
              .filter(Boolean)
              .join(' · ')}
            {text(person) && (
              <>
                {' · '}
                <PersonLink id={text(person)} />
              </>
            )}
          </p>
          <pre class="error-stack" tabIndex={0} role="region" aria-label="Stack">
            {text(stack) || 'No stack was recorded.'}
          </pre>
        </details>
      </li>
    ))}
  </ul>
)
