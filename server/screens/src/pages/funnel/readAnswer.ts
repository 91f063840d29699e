import type { Json } from '../../data/query'

export interface Step {
  step: number
  name: string
  people: number
  /** The share of the first step's people; null where there are none. */
  conversion: number | null
  /** The share of the people of the step before. */
  stepConversion: number | null
  medianSeconds: number | null
}

export interface Group {
  /** The value of the property; null for people without one. */
  value: string | null
  steps: Step[]
}

const numberOrNull = (value: Json | undefined) =>
  value === null || value === undefined ? null : Number(value)

/** The rows of the macro by the value of the property, the groups with most people at the first step first. */
export function readAnswer(rows: readonly Json[][]): Group[] {
  const groups = new Map<Json, Group>()
  for (const [breakdown = null, step, name, people, conversion, stepConversion, medianSeconds] of rows) {
    const value = breakdown === null ? null : String(breakdown)
    const group = groups.get(value) ?? { value, steps: [] }
    groups.set(value, group)
    group.steps.push({
      step: Number(step),
      name: String(name),
      people: Number(people),
      conversion: numberOrNull(conversion),
      stepConversion: numberOrNull(stepConversion),
      medianSeconds: numberOrNull(medianSeconds),
    })
  }
  const entered = ({ steps }: Group) => steps[0]?.people ?? 0
  return [...groups.values()].toSorted((a, b) => entered(b) - entered(a))
}
