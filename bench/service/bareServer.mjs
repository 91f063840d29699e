// The control: receives the same requests, parses their JSON, keeps nothing.
import { createServer } from 'node:http'

const server = createServer((request, response) => {
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    const events = JSON.parse(Buffer.concat(chunks).toString())
    const text = JSON.stringify({ ok: true, task_id: null, count: events.length })
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': text.length })
    response.end(text)
  })
})
server.listen(0, '127.0.0.1', () => console.log(`ready at http://127.0.0.1:${server.address().port}`))
process.on('SIGTERM', () => process.exit(0))
