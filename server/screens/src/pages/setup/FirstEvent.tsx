import { Loading } from '../../parts/Loading'
import { ProblemNote } from '../../parts/ProblemNote'
import { useScope } from '../../shell/scope'
import { Arrivals } from './Arrivals'
import { Snippet } from './Snippet'
import { useProgress } from './useProgress'

type Known = ReturnType<typeof useProgress>

/** What to put on a page, and whether anything has come from it. */
export function FirstEvent({ setup, progress, problem }: Known) {
  const { environment } = useScope()
  if (!setup || !progress) return problem ? <ProblemNote problem={problem} /> : <Loading />
  const key = setup.keys?.find(({ environments }) => environments.includes(environment))
  return (
    <>
      <Arrivals progress={progress} environment={environment} />
      {setup.keys && !key && (
        <p>
          No API key may write to {environment}: name one by <code>--api-keys</code>.
        </p>
      )}
      <Snippet apiKey={key?.key} environment={environment} isGood={progress.state === 'arrived'} />
    </>
  )
}

/** Instead of an overview that would be empty. */
export function EmptyStore() {
  const { environment, reload } = useScope()
  const known = useProgress(environment)
  return (
    <>
      {known.progress?.state !== 'arrived' && <p class="lead">There are no events of people here yet.</p>}
      <FirstEvent {...known} />
      {known.progress?.state === 'arrived' && (
        <p class="buttons">
          <button class="button strong" type="button" onClick={reload}>
            Show the overview
          </button>
        </p>
      )}
    </>
  )
}
