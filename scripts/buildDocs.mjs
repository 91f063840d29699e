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
  const [, page, about] = /^\| \[([\w-]+\.md)\]\(\1\) \| (.+) \|$/.exec(line) ?? []
  if (page === undefined) return []
  cpSync(join(root, 'docs', page), join(out, page))
  return [`- [${page}](docs/${page}): ${about}`]
})
writeFileSync(join(out, 'llms.txt'), `${['# waymark', '', `> ${description}`, ...lines].join('\n')}\n`)
