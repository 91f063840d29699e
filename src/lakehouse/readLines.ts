/** The lines of a body, as they come. Ends the request when the reader stops early. */
export async function* readLines(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      const lines = (rest + decoder.decode(value, { stream: !done })).split('\n')
      rest = done ? '' : lines.pop()!
      for (const line of lines) if (line) yield line
      if (done) return
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}
