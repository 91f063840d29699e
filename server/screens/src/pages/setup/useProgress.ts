import { useState } from 'preact/hooks'
import { expireLogin } from '../../data/login'
import { type Problem, toProblem } from '../../data/Problem'
import { ask } from '../../data/query'
import { askSetup, type Setup } from '../../data/setup'
import { usePolling } from '../../data/usePolling'
import { type Progress, readProgress, toArrival } from './readArrivals'

const everyMs = 2000

interface Known {
  environment: string
  setup?: Setup
  progress?: Progress
  problem?: Problem
}

/** How the service is set up, and whether events come: asked again and again, of the last hour alone if that has any. */
export function useProgress(environment: string): Known {
  const [last, setKnown] = useState<Known>({ environment })
  const known = last.environment === environment ? last : { environment }

  const find = async (signal: AbortSignal) => {
    const { rows } = await ask({ name: 'arrivals', reach: 'hour' }, { signal })
    const isEnough = rows.some(([name, isBot]) => name === environment && isBot === false)
    // Without an event of the last hour, those of before are read once.
    if (isEnough || known.progress) return rows
    return (await ask({ name: 'arrivals' }, { signal })).rows
  }

  const look = async (signal: AbortSignal) => {
    try {
      const [setup, rows] = await Promise.all([askSetup(signal), find(signal)])
      const next = readProgress(rows.map(toArrival), setup.refused, environment)
      // What arrived more than an hour ago has arrived.
      const progress = next.state === 'waiting' && known.progress ? known.progress : next
      setKnown({ environment, setup, progress })
    } catch (error) {
      const problem = toProblem(error, signal)
      if (problem.kind === 'login') expireLogin()
      else if (problem.kind !== 'cancelled') setKnown({ ...known, problem })
    }
  }
  usePolling(look, everyMs, [environment])
  return known
}
