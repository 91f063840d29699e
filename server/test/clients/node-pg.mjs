// node pg, as Node's tools use it.
import pg from 'pg'

const open = async (work) => {
  const client = new pg.Client(`postgresql://ada:lovelace@127.0.0.1:${process.env.WAYMARK_PORT}/lakehouse`)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
const check = async (name, wanted, work) => {
  try {
    const found = JSON.stringify(await open(work))
    if (found !== JSON.stringify(wanted)) throw new Error(`${found} instead of ${JSON.stringify(wanted)}`)
    console.log(`+ ${name}`)
  } catch (error) {
    console.log(`- ${name}: ${error.message.replaceAll(/\s+/g, ' ')}`)
  }
}

await check(
  'reads rows, with parameters and lists',
  [{ id: 1 }, { id: 3 }],
  async (client) =>
    (await client.query('SELECT id FROM orders WHERE id = ANY($1) AND total > $2 ORDER BY id', [[1, 3], 1]))
      .rows,
)
await check('rows have the names that PostgreSQL gives', ['count', 'now'], async (client) =>
  Object.keys((await client.query('SELECT count(*), now() FROM orders')).rows[0]),
)
await check('a cursor fetches some rows at a time', [100, 900], async (client) => {
  await client.query('BEGIN')
  await client.query('DECLARE c CURSOR FOR SELECT range FROM range(1000)')
  const some = await client.query('FETCH 100 FROM c')
  const rest = await client.query('FETCH ALL FROM c')
  return [some.rows.length, rest.rows.length]
})
