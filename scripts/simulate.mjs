import { parseArgs } from 'node:util'
import { run } from './setup/run.mjs'

const usage = `Lives browsers at random, in a simulated platform, and judges what arrived (test/simulation).

  npm run simulate -- [--seeds N] [--first S] [--minutes M]

  --seeds N     how many lives (default 10000)
  --first S     the first seed (default 1)
  --minutes M   as many lives as go into so many minutes`

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '10000' },
    first: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '0' },
    help: { type: 'boolean', default: false },
  },
})

if (values.help) console.log(usage)
else {
  const given = Object.entries({ seeds: values.seeds, first: values.first, minutes: values.minutes })
  const wanted = Object.fromEntries(given.map(([name, text]) => [name, Number(text)]))
  const wrong = given.find(([name]) => !(wanted[name] >= 0))
  if (wrong) throw new Error(`--${wrong[0]} is a number, not ${wrong[1]}.`)
  const args = ['run', '--project=library', 'test/simulation', '--testNamePattern=loses nothing']
  const { code } = await run('node_modules/.bin/vitest', args, {
    env: { WAYMARK_SIMULATE: JSON.stringify(wanted) },
  })
  process.exitCode = code
}
