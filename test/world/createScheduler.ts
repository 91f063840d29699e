interface Task {
  at: number
  /** Whose task it is: it is held while that one rests, and dropped when that one is gone. */
  owner: Owner | undefined
  run: () => void
}

/** What has tasks: a page. */
export interface Owner {
  isGone?: boolean
  isResting?: boolean
}

/** Runs every microtask that waits, and what those begin. Node has no other way to do so between two tasks. */
export const drain = () => (process as unknown as { _tickCallback(): void })._tickCallback()

/** More are taken for a loop without an end. */
const mostTasks = 1_000_000

/** One clock and one list of tasks, by time and order. What needs no time runs by itself, the rest as `run` says. */
export function createScheduler() {
  let now = 0
  let ran = 0
  let isRunning = false
  let isWoken = false
  /** What waits for a time: the next one last. */
  let timed: Task[] = []
  let prompt: Task[] = []
  /** Tasks of those that rest. */
  let held: Task[] = []

  const perform = ({ owner, run }: Task) => {
    ran++
    if (!owner?.isGone) run()
    drain()
  }

  /** The next task that needs no time, if there is one. */
  const performPrompt = () => {
    const task = prompt.shift()
    if (task?.owner?.isResting) held.push(task)
    else if (task) perform(task)
    return !!task
  }

  /** One task in each turn of Node's loop, while a test awaits something else. */
  const wake = () => {
    if (isRunning || isWoken || !prompt[0]) return
    isWoken = true
    setImmediate(() => {
      isWoken = false
      if (!isRunning) performPrompt()
      wake()
    })
  }

  const insert = (task: Task) => {
    let low = 0
    for (let high = timed.length; low < high;) {
      const middle = (low + high) >> 1
      if (timed[middle]!.at > task.at) low = middle + 1
      else high = middle
    }
    timed.splice(low, 0, task)
  }

  /** Runs something `ms` later, in a task of its own; a task without a time comes as soon as the earlier ones are done. */
  const add = (run: () => void, ms?: number, owner?: Owner) => {
    const task = { at: now + (ms ?? 0), run, owner }
    if (ms === undefined) {
      prompt.push(task)
      wake()
    } else insert(task)
    return () => {
      timed = timed.filter((other) => other !== task)
      held = held.filter((other) => other !== task)
      // What rested, and was woken.
      prompt = prompt.filter((other) => other !== task)
    }
  }

  /** The next task, until that time or of those that need none. False where there is none. */
  const step = (until: number | undefined) => {
    if (performPrompt()) return true
    const task = timed.at(-1)
    if (!task || until === undefined || task.at > until) return false
    timed.pop()
    now = Math.max(now, task.at)
    if (task.owner?.isResting) held.push(task)
    else perform(task)
    return true
  }

  /** Winds the clock to that time, if one is given. To be called in a task of Node's, not in a microtask. */
  const runNow = (until?: number, mayGoOn = () => true) => {
    isRunning = true
    try {
      drain()
      for (let count = 0; mayGoOn() && step(until); count++)
        if (count > mostTasks) throw new Error('there is no end of tasks')
      if (until !== undefined && mayGoOn()) now = Math.max(now, until)
    } finally {
      isRunning = false
      wake()
    }
  }

  return {
    add,
    runNow,
    /** A task that comes from outside: what a visitor does. */
    perform: (run: () => void) => perform({ at: now, owner: undefined, run }),
    run: (until?: number) =>
      new Promise<void>((resolve, reject) =>
        setImmediate(() => {
          try {
            resolve(runNow(until))
          } catch (error) {
            reject(error)
          }
        }),
      ),
    now: () => now,
    /** How many tasks have run. */
    ran: () => ran,
    /** What one that rested had to do, it does late. */
    wake(owner: Owner) {
      owner.isResting = false
      const own = held.filter((task) => task.owner === owner)
      held = held.filter((task) => task.owner !== owner)
      prompt.push(...own)
      wake()
    },
    /** How many tasks wait for a time. */
    waiting: () => timed.filter(({ owner }) => !owner?.isGone).length,
  }
}
