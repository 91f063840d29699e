// Puts the docs where the service serves them, as Markdown, with a list of them for agents: server/docs.
// Another folder can be named.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './setup/root.mjs'

const out = process.argv[2] ?? join(root, 'server/docs')
const index = readFileSync(join(root, 'docs/README.md'), 'utf8')
const { description } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

rmSync(out, { recursive: true, force: true })
mkdirSync(out, { recursive: true })
const lines = index.split('\n').flatMap((line) => {
  if (line.startsWith('## ')) return ['', line, '']
  const [, page, about] = /^- \[([\w-]+\.md)\]\(\1\): (.+)$/.exec(line) ?? []
  if (page === undefined) return []
  cpSync(join(root, 'docs', page), join(out, page))
  return [`- [${page}](docs/${page}): ${about}`]
})
// The metrics themselves are for whoever may read: this list is for everybody.
const metrics =
  'Before you count yourself, look for the figure among the certified metrics: `SELECT * FROM metrics`, or by MCP `list_metrics` and `metric`.'
const text = ['# waymark', '', `> ${description}`, '', '## Metrics', '', metrics, ...lines].join('\n')
writeFileSync(join(out, 'llms.txt'), `${text}\n`)
