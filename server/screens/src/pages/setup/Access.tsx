import { useRef, useState } from 'preact/hooks'
import { type Access as Known, askAccess, changeAccess, type MadeAccess } from '../../data/access'
import { base } from '../../data/base'
import { expireLogin } from '../../data/login'
import { type Problem, toProblem } from '../../data/Problem'
import type { Setup } from '../../data/setup'
import { usePolling } from '../../data/usePolling'
import { Loading, ProblemNote } from '../../parts/notes'
import { AccessDialog } from './AccessDialog'
import type { Asked, Change } from './askAccess'
import { Environments } from './Environments'
import { Changes, Keys } from './Keys'
import { Users } from './Users'

const everyMs = 5000

/** A link that is shown once, or a key. */
const onceOf = ({ address, key, ends_at: end, old_ends_at: oldEnd }: MadeAccess): Asked | undefined => {
  if (address !== undefined) return { once: 'The link', value: location.origin + base + address, end }
  if (key !== undefined) return { once: 'The new key', value: key, end: oldEnd }
  return undefined
}

/** Users, keys and environments, to be made, changed and taken back. */
export function Access({ setup }: { setup: Setup }) {
  const [known, setKnown] = useState<Known>()
  const [problem, setProblem] = useState<Problem>()
  const [asked, setAsked] = useState<Asked>()
  const next = useRef<Asked | undefined>(undefined)

  const look = async (signal: AbortSignal) => {
    try {
      setKnown(await askAccess(signal))
      setProblem(undefined)
    } catch (error) {
      const found = toProblem(error, signal)
      if (found.kind === 'login') expireLogin()
      else if (found.kind !== 'cancelled') setProblem(found)
    }
  }
  usePolling(look, everyMs, [])

  const change = async (body: Change) => {
    next.current = onceOf(await changeAccess(body))
    await look(new AbortController().signal)
  }
  const make = (body: Change) => change(body).catch((error: unknown) => setProblem(toProblem(error)))

  if (!known) return problem ? <ProblemNote problem={problem} /> : <Loading />
  // A dialog that has done its work closes itself, and what it made is shown after it.
  const close = () => {
    setAsked(next.current)
    next.current = undefined
  }
  return (
    <>
      {problem && <ProblemNote problem={problem} />}
      <Users {...known} ask={setAsked} make={make} />
      <Keys {...known} ask={setAsked} />
      <Environments {...known} setup={setup} ask={setAsked} make={make} />
      <Changes {...known} />
      {asked && (
        <AccessDialog
          key={typeof asked === 'object' && 'once' in asked ? 'once' : 'ask'}
          asked={asked}
          environments={known.environments
            .filter((each) => each.withdrawn_at === null)
            .map(({ name }) => name)}
          close={close}
          make={change}
        />
      )}
    </>
  )
}
