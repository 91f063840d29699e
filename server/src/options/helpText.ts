import { type Flag, flags } from './flags.js'

/** The variable of a flag: `WAYMARK_API_KEYS` for `--api-keys`. The variable of a switch must be `true`. */
export const variableOf = ({ name }: { name: string }): string =>
  `WAYMARK_${name.toUpperCase().replaceAll('-', '_')}`

const column = 34
const width = 100

const wrap = (text: string): string[] => {
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1)!
    if (line !== '' && column + line.length + 1 + word.length > width) lines.push(word)
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`
  }
  return lines
}

const describe = ({ name, value, about, usual, otherwise = 'none' }: Flag): string => {
  const head = `  --${name}${value === undefined ? '' : ` ${value}`}`
  const [first, ...more] = wrap(`${about} [${usual ?? otherwise}]`)
  return [`${head.padEnd(column - 1)} ${first}`, ...more.map((line) => ' '.repeat(column) + line)].join('\n')
}

/** What `--help` prints. */
export const helpText = `waymark-server: product analytics and lakehouse over HTTP, on an embedded DuckDB file.

  waymark-server hash-password   reads a password, prints its hash for a file of users
  waymark-server backup FILE     copies the store of a running service; each of these has a --help
  waymark-server restore FILE    makes a data folder of such a copy
  waymark-server check           says whether a data folder is whole
  waymark-server salvage         keeps what can be read of a damaged write-ahead log
  waymark-server retry-rejected  has rows stored that were set aside
  waymark-server export          writes events and persons as Parquet files

waymark-server with these flags starts the service. The default of a flag is in brackets.
Each flag can also be said by a variable: ${variableOf({ name: 'api-keys' })} for --api-keys. A flag wins.

${flags.map(describe).join('\n')}
  --version                       prints the version
  --help                          this text
`

/** The table of flags in the docs. */
export const flagsTable = (): string =>
  [
    '| flag | default | |',
    '|---|---|---|',
    ...flags.map(
      ({ name, about, usual, otherwise, more }) =>
        `| \`--${name}\` | ${usual ?? otherwise ?? ''} | ${about}${more === undefined ? '' : ` (${more})`} |`,
    ),
  ].join('\n')
