import { type Figure, type Format, mostFigures, type Over, type When } from '../data/alerts'
import { loadSaved, save, savedAlerts } from '../data/saved'

export const conditions: readonly [When, string][] = [
  ['below', 'is below'],
  ['above', 'is above'],
  ['changed', 'differs from the weeks before by more than'],
  ['nothing', 'is nothing'],
  ['digest', 'in any case, as a digest'],
]
const times: readonly [Over, string][] = [
  ['hour', 'Last full hour'],
  ['day', 'Last full day'],
  ['week', 'Last full week'],
  ['minutes', 'Last minutes'],
]
/** The times that go with a condition. */
export const timesOf = (when: When) =>
  times.filter(([over]) =>
    when === 'nothing' ? over === 'minutes' : when !== 'digest' || over === 'day' || over === 'week',
  )

export const ways: readonly [Format | 'mail', string][] = [
  ['json', 'A webhook'],
  ['slack', 'Slack'],
  ['discord', 'Discord'],
  ['teams', 'Microsoft Teams'],
  ['mail', 'E-mail'],
]

/** The figures of a digest that has several. */
export const Figures = ({
  figures,
  change,
}: {
  figures: readonly Figure[]
  change: (to: Figure[]) => void
}) => (
  <ul class="digest" aria-label="Figures of the digest">
    {figures.map((figure, at) => {
      const name = figure.label ?? figure.ask.name
      return (
        <li key={`${at} ${name}`}>
          <span class="break">{name}</span>
          <button
            class="button quiet"
            type="button"
            aria-label={`Take out: ${name}`}
            onClick={() => change(figures.filter((each) => each !== figure))}
          >
            Take out
          </button>
        </li>
      )
    })}
  </ul>
)

/** Puts a figure behind the others of a digest. */
export const addTo = async (digest: string, figure: Figure) => {
  // Somebody else may have changed it since this page was loaded.
  await loadSaved()
  const value = savedAlerts().find(({ name }) => name === digest)?.value
  if (value === undefined) throw new Error('This digest was removed.')
  if (value.figures.length >= mostFigures) throw new Error(`A digest has ${mostFigures} figures at most.`)
  await save('alert', { name: digest, value: { ...value, figures: [...value.figures, figure], to: digest } })
}
