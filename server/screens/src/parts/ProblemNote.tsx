import type { Problem, ProblemKind } from '../data/Problem'

const titles: Record<ProblemKind, string> = {
  login: 'You are not logged in.',
  forbidden: 'You may not see this.',
  away: 'No answer.',
  busy: 'The service is busy.',
  cancelled: 'Cancelled.',
  refused: 'The service refused this.',
  broken: 'The answer stopped.',
}

/** Why there is no answer, and a way to ask again. */
export function ProblemNote({ problem, again }: { problem: Problem; again?: () => void }) {
  return (
    <div class={`problem is-${problem.kind}`} role="alert">
      <p>
        <strong>{titles[problem.kind]}</strong> <span class="problem-text">{problem.message}</span>
      </p>
      {again && problem.kind !== 'forbidden' && (
        <button class="button" type="button" onClick={again}>
          Ask again
        </button>
      )}
    </div>
  )
}
