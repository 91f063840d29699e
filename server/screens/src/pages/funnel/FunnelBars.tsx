import { isGuest } from '../../data/guest'
import { formatCount, formatDuration, formatShare } from '../../parts/format'
import { useSearch } from '../../address/location'
import { type PeopleChoice, writePeople } from './funnelSearch'
import type { Step } from './readAnswer'

interface LinkProps {
  choice: PeopleChoice
  chosen: PeopleChoice | undefined
  /** What a screen reader says. */
  label: string
  children: string
}

/** Shows the list of these people below. */
function PeopleButton({ choice, chosen, label, children }: LinkProps) {
  const [, setSearch] = useSearch()
  if (isGuest) return <span>{children}</span>
  const isChosen = chosen?.kind === choice.kind && chosen.step === choice.step
  return (
    <button
      class="cell-button funnel-people"
      type="button"
      aria-pressed={isChosen}
      aria-label={label}
      onClick={() => setSearch({ people: isChosen ? undefined : writePeople(choice) }, { replace: true })}
    >
      {children}
    </button>
  )
}

/** A bar for each step, with its people and those who went no further. */
export function FunnelBars({ steps, chosen }: { steps: readonly Step[]; chosen: PeopleChoice | undefined }) {
  return (
    <ol class="funnel-bars">
      {steps.map(({ step, name, people, conversion, stepConversion, medianSeconds }, at) => {
        const next = steps[at + 1]
        const lost = next ? people - next.people : 0
        return (
          <li key={step}>
            <div class="funnel-name">
              <span class="soft">{step}</span> <strong>{name}</strong>
            </div>
            <div class="funnel-bar" style={{ '--share': String(conversion ?? 0) }}>
              <PeopleButton
                choice={{ step, kind: 'reached' }}
                chosen={chosen}
                label={`${formatCount(people)} people did ${name}: show them`}
              >
                {`${formatCount(people)} people`}
              </PeopleButton>
              <span>{formatShare(conversion ?? 0)}</span>
            </div>
            <div class="funnel-about soft">
              {at > 0 && <span>{formatShare(stepConversion ?? 0)} of the step before</span>}
              {medianSeconds !== null && <span>{formatDuration(medianSeconds)} later (median)</span>}
              {lost > 0 && (
                <PeopleButton
                  choice={{ step, kind: 'dropped' }}
                  chosen={chosen}
                  label={`${formatCount(lost)} people went no further than ${name}: show them`}
                >
                  {`${formatCount(lost)} went no further`}
                </PeopleButton>
              )}
            </div>
          </li>
        )
      })}
    </ol>
  )
}
