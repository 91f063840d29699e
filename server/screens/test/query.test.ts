import { afterEach, describe, expect, it, vi } from 'vitest'
import { ask, downloadAddress } from '../src/data/query'

const head = [
  '{"statement":"SELECT 2","query_id":"q-1","session_id":"s-1"}',
  '[{"name":"n","type":"BIGINT"}]',
]

/** Answers the next request with pieces of a body; returns what was asked. */
function answerWith(pieces: readonly string[], status = 200) {
  const fetched = vi.fn<typeof fetch>(() => {
    const encoder = new TextEncoder()
    const body = new ReadableStream({
      start(controller) {
        for (const piece of pieces) controller.enqueue(encoder.encode(piece))
        controller.close()
      },
    })
    return Promise.resolve(new Response(body, { status }))
  })
  vi.stubGlobal('fetch', fetched)
  return () => JSON.parse(String(fetched.mock.calls[0]?.[1]?.body)) as Record<string, unknown>
}

afterEach(() => vi.unstubAllGlobals())

describe('ask', () => {
  it('reads columns and rows of an answer that is cut into pieces anywhere', async () => {
    const text = `${[...head, '["Zürich"]', '["b"]'].join('\n')}\n`
    for (let at = 1; at < text.length; at += 7) {
      answerWith([text.slice(0, at), text.slice(at)])
      expect(await ask('SELECT 1')).toEqual({
        queryId: 'q-1',
        sessionId: 's-1',
        statement: 'SELECT 2',
        columns: [{ name: 'n', type: 'BIGINT' }],
        rows: [['Zürich'], ['b']],
      })
    }
  })

  it('asks again while the query engine starts, and says so when it does not', async () => {
    const starting = JSON.stringify({
      error: 'engine-starting',
      message: 'The query engine is being started.',
    })
    const fetched = vi
      .fn<typeof fetch>(() => Promise.resolve(new Response(`${head.join('\n')}\n`)))
      .mockResolvedValueOnce(new Response(starting, { status: 503 }))
      .mockResolvedValueOnce(new Response(starting, { status: 503 }))
    vi.stubGlobal('fetch', fetched)
    expect(await ask('SELECT 1')).toMatchObject({ rows: [] })
    expect(fetched).toHaveBeenCalledTimes(3)
    const never = vi.fn<typeof fetch>(() => Promise.resolve(new Response(starting, { status: 503 })))
    vi.stubGlobal('fetch', never)
    await expect(ask('SELECT 1')).rejects.toMatchObject({ kind: 'busy', code: 'engine-starting' })
    expect(never).toHaveBeenCalledTimes(21)
  })

  it('names the columns form and the time zone, and ends the session with the query', async () => {
    const asked = answerWith([`${head.join('\n')}\n`])
    await ask('SELECT 1', { limit: 5, queryId: 'q-2' })
    expect(asked()).toEqual({
      statement: 'SELECT 1',
      timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      columns: 'objects',
      ephemeral: true,
      limit: 5,
      query_id: 'q-2',
    })
  })

  it('asks by a name, and downloads by it', async () => {
    const asked = answerWith([`${head.join('\n')}\n`])
    await ask({ name: 'totals', bots: true })
    expect(asked()).toMatchObject({ name: 'totals', bots: true, columns: 'objects' })
    const address = new URL(downloadAddress({ name: 'totals' }, 'csv', 'Totals') ?? '', 'http://x')
    expect([address.pathname, address.searchParams.get('ask')]).toEqual(['/answer', '{"name":"totals"}'])
  })

  it('stays in a session that is named, and tells of the rows that are there while more come', async () => {
    const asked = answerWith([`${[...head, '[1]'].join('\n')}\n`, '[2]\n'])
    const told: number[] = []
    await ask('SELECT 1', { sessionId: 's-2', mustRead: true, onRows: ({ rows }) => told.push(rows.length) })
    expect(asked()).toMatchObject({ ephemeral: false, session_id: 's-2', sanitize: true })
    expect(told[0]).toBe(1)
  })

  it('takes an error in the place of a row for the end of the answer', async () => {
    answerWith([[...head, '[1]', '{"error":"Out of memory","error_code":"x"}'].join('\n'), '\n'])
    await expect(ask('SELECT 1')).rejects.toMatchObject({ kind: 'broken', message: 'Out of memory' })
  })

  it('does not take an answer for complete that ends within a row', async () => {
    answerWith([[...head, '[1]', '[2'].join('\n')])
    await expect(ask('SELECT 1')).rejects.toMatchObject({ kind: 'broken' })
    answerWith([`${head[0]}\n`])
    await expect(ask('SELECT 1')).rejects.toMatchObject({ kind: 'broken' })
  })

  it('tells what the service says about a statement that it refuses', async () => {
    answerWith(['{"error":"invalid-statement","message":"No column x."}'], 400)
    await expect(ask('SELECT x')).rejects.toMatchObject({ kind: 'refused', message: 'No column x.' })
  })

  it('tells a missing login, a missing right and a busy service apart', async () => {
    for (const [status, kind] of [
      [401, 'login'],
      [403, 'forbidden'],
      [503, 'busy'],
      [502, 'away'],
    ] as const) {
      answerWith(['<html>a proxy</html>'], status)
      const message = `The service answered with status ${status}.`
      await expect(ask('SELECT 1')).rejects.toMatchObject({ kind, message })
    }
  })

  it('says that the service cannot be reached where there is no answer', async () => {
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')))
    await expect(ask('SELECT 1')).rejects.toMatchObject({ kind: 'away' })
  })

  it('tells a cancelled query from a failed one', async () => {
    const controller = new AbortController()
    vi.stubGlobal('fetch', (_: string, { signal }: RequestInit) => {
      controller.abort()
      return Promise.reject(signal?.reason as Error)
    })
    await expect(ask('SELECT 1', { signal: controller.signal })).rejects.toMatchObject({ kind: 'cancelled' })
  })
})

it('asks for a CSV whose formulas are harmless, and for other formats as they are', () => {
  const asked = (format: 'csv' | 'jsonl' | 'parquet') =>
    new URL(downloadAddress('SELECT 1', format, 'Totals') ?? '', 'http://x').searchParams.get(
      'escape_formulas',
    )
  expect([asked('csv'), asked('jsonl'), asked('parquet')]).toEqual(['true', null, null])
})

it('names a file by the title of its card, in letters that every file system takes', () => {
  const address = downloadAddress('SELECT 1', 'csv', 'Orders: €/day') ?? ''
  expect(new URL(address, 'http://x').searchParams.get('file_name')).toBe('Orders- -day')
})

it('offers no download of a statement that is too long for an address', () =>
  expect(downloadAddress(`SELECT '${'x'.repeat(12_000)}'`, 'csv', 'Totals')).toBeUndefined())
