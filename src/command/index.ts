import { parseArgs } from 'node:util'
import { checkPlan } from './checkPlan'
import { CommandError } from './CommandError'
import { initPlan } from './initPlan'
import { writePlan } from './writePlan'

const help = `waymark plan [FILE] [--out FILE]
  Writes a plan as JSON, for the service (--plan) and for CI.
    FILE           the plan: TypeScript or JavaScript with a default export of definePlan()   ./plan.ts, .mts, .mjs or .js
    --out          where it goes   plan.json

waymark plan init [--out FILE] [--since 30d] [--environment NAME] [--url URL]
  Writes a first plan from the events that a service has stored; never over a file that is there.
    --out          plan.mjs or .js, or plan.ts, which also gives the plan to the types   plan.mjs

waymark plan check [--since 7d] [--environment NAME] [--url URL]
  Lists what was not as planned. Exits with 1 when there is something, with 2 when it cannot know.

    --since        how far back: days (7d) or hours (12h)
    --environment  one environment   all of them
    --url          the service   WAYMARK_URL   http://127.0.0.1:8787
                   the user, who need only read, is in WAYMARK_USER: name:password
`

const options = {
  out: { type: 'string' },
  since: { type: 'string' },
  environment: { type: 'string' },
  url: { type: 'string' },
  help: { type: 'boolean' },
} as const

/** What each command takes, besides words. */
const flagsOf = {
  write: ['out'],
  init: ['out', 'since', 'environment', 'url'],
  check: ['since', 'environment', 'url'],
}

const read = (argv: string[]) => {
  try {
    return parseArgs({ args: argv, options, allowPositionals: true })
  } catch (error) {
    throw new CommandError(`${(error as Error).message.split('. ', 1)[0]}. See --help.`)
  }
}

const choose = async (argv: string[], env: NodeJS.ProcessEnv): Promise<number> => {
  const { values, positionals } = read(argv)
  const [topic, second, ...more] = positionals
  if (values.help || !topic) {
    process.stdout.write(help)
    return 0
  }
  if (topic !== 'plan') throw new CommandError(`There is no command "${topic}". See --help.`)
  const name = second === 'init' || second === 'check' ? second : 'write'
  if (more[0]) throw new CommandError(`"${more[0]}" is one word too many. See --help.`)
  const foreign = Object.keys(values).find((flag) => !flagsOf[name].includes(flag))
  if (foreign) throw new CommandError(`--${foreign} does not belong to this command. See --help.`)
  if (name === 'init') return initPlan(values, env)
  if (name === 'check') return checkPlan(values, env)
  return writePlan(second, values.out)
}

/** Runs a command, and gives its exit code: 2 when it could not do what was asked. */
export const run = async (argv: string[], env: NodeJS.ProcessEnv): Promise<number> => {
  try {
    return await choose(argv, env)
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    process.stderr.write(`${error.message}\n`)
    return 2
  }
}
