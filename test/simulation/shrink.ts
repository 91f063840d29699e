import type { Action, Plan } from './drawPlan'

/** Plans that are smaller by one thing: an action, half of them, a call, a fault, or what an action has beside. */
function* smaller(plan: Plan): Generator<Plan> {
  const { actions } = plan
  for (let size = actions.length >> 1; size >= 1; size >>= 1)
    for (let at = 0; at < actions.length; at += size)
      yield { ...plan, actions: actions.filter((_, n) => n < at || n >= at + size) }
  for (const fault of plan.faults) yield { ...plan, faults: plan.faults.filter((other) => other !== fault) }
  for (const name of Object.keys(plan.config)) {
    const { [name as 'consent']: _, ...config } = plan.config
    yield { ...plan, config }
  }
  const change = (at: number, action: Action) => ({ ...plan, actions: actions.with(at, action) })
  for (const [at, action] of actions.entries()) {
    for (const list of ['calls', 'exit'] as const) {
      const calls = (action as { calls?: unknown[]; exit?: unknown[] })[list] ?? []
      if (calls.length > 3) yield change(at, { ...action, [list]: calls.slice(0, calls.length >> 1) })
      for (const n of calls.keys())
        yield change(at, { ...action, [list]: calls.filter((_, other) => other !== n) })
    }
    for (const flag of ['inOneTask', 'hiddenFirst', 'inListener', 'microtasks'])
      if ((action as unknown as Record<string, unknown>)[flag])
        yield change(at, { ...action, [flag]: undefined })
    if (action.do === 'wait' && action.ms > 20) yield change(at, { do: 'wait', ms: action.ms >> 2 })
  }
}

/** The smallest plan found that is still wrong. */
export function shrink(plan: Plan, isWrong: (plan: Plan) => boolean): Plan {
  let best = plan
  for (let next: Plan | undefined; ;) {
    next = undefined
    for (const one of smaller(best))
      if (isWrong(one)) {
        next = one
        break
      }
    if (!next) return best
    best = next
  }
}

/** A plan as a few lines. */
export const tellPlan = ({ seed, engine, faults, config, actions }: Plan) =>
  [
    `seed ${seed}, ${engine}, faults: ${faults.join(' ') || 'none'}, config: ${JSON.stringify(config)}`,
    ...actions.map((action) => `  ${JSON.stringify(action)}`),
  ].join('\n')
