// Asks what a tool asks that was not to be had, by the statements in statements/NAME.txt.
//   node byStatements.mjs metabase
import { readFileSync } from 'node:fs'
import pg from 'pg'

/**
 * Blocks stand apart by a blank line: a line `#` that says what is asked, the statement, and what must come: `=` a row,
 * all of them in their order; `~` a row among others; `!` a code and a part of the message.
 */
const blocks = readFileSync(new URL(`statements/${process.argv[2]}.txt`, import.meta.url), 'utf8')
  .trim()
  .split('\n\n')
  .map((block) => {
    const lines = block.split('\n')
    const marked = (mark) => lines.filter((line) => line.startsWith(`${mark} `)).map((line) => line.slice(2))
    const sql = lines.filter((line) => !/^[#=~!]( |$)/.test(line)).join('\n')
    return { about: marked('#')[0], sql, all: marked('='), some: marked('~'), refusal: marked('!')[0] }
  })

const asText = (value) => (value === null ? 'NULL' : value)
const types = { getTypeParser: () => (text) => text }

const client = new pg.Client(`postgresql://ada:lovelace@127.0.0.1:${process.env.WAYMARK_PORT}/lakehouse`)
await client.connect()

const rowsOf = async (text) => {
  const results = [await client.query({ text, rowMode: 'array', types })].flat()
  return results.at(-1).rows.map((row) => row.map(asText).join(' | '))
}
const problemOf = async ({ sql, all, some, refusal }) => {
  const answer = await rowsOf(sql).catch((error) => `${error.code} ${error.message}`)
  if (typeof answer === 'string')
    return refusal !== undefined && answer.includes(refusal) ? undefined : answer
  if (refusal !== undefined) return `it is not refused`
  if (all.length > 0 && all.join('\n') !== answer.join('\n')) return `${answer.slice(0, 5).join('; ')} came`
  const missing = some.find((row) => !answer.includes(row))
  return missing === undefined ? undefined : `${missing} is not among ${answer.slice(0, 12).join('; ')}`
}

for (const block of blocks) {
  const problem = await problemOf(block)
  console.log(
    problem === undefined ? `+ ${block.about}` : `- ${block.about}: ${problem.replaceAll(/\s+/g, ' ')}`,
  )
}
await client.end()
