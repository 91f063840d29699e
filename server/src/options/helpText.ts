import { codeOptions, type Flag, flags, variableOf } from './flags.js'

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

/** The default of a flag; empty when nothing is set. */
const usualOf = ({ usual, otherwise = '' }: Flag): string =>
  typeof usual === 'string' && usual !== '' ? usual : otherwise

const describe = (flag: Flag): string => {
  const { name, value, about } = flag
  const head = `  --${name}${value === undefined ? '' : ` ${value}`}`
  const [first, ...more] = wrap(`${about} [${usualOf(flag) || 'none'}]`)
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

/** The tables of docs/flags.md: the flags, and the options that only code can set. */
export const flagsTable = (): string =>
  [
    '| flag | in code | default | |',
    '|---|---|---|---|',
    ...flags.map(
      (flag) =>
        `| \`--${flag.name}\` | \`${flag.option}\` | ${usualOf(flag)} | ${flag.about}${flag.more === undefined ? '' : ` (${flag.more})`} |`,
    ),
  ].join('\n')

export const codeTable = (): string =>
  [
    '| only in code | default | |',
    '|---|---|---|',
    ...codeOptions.map(({ option, about, otherwise }) => `| \`${option}\` | ${otherwise} | ${about} |`),
  ].join('\n')
