import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { docRoutes } from '../../src/files/fileRoutes.js'
import { type RoutesServer, serveRoutes } from '../fixtures/serveRoutes.js'

let folder: string
let server: RoutesServer
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-docs-'))
  writeFileSync(join(folder, 'llms.txt'), '# waymark\n')
  writeFileSync(join(folder, 'api.md'), '# The API\n')
  writeFileSync(join(folder, 'secret.txt'), 'no page')
  server = await serveRoutes(docRoutes(folder))
})
afterAll(() => {
  server.close()
  rmSync(folder, { recursive: true })
})

const get = async (path: string) => {
  const answer = await fetch(`http://127.0.0.1:${server.port}${path}`)
  return [answer.status, answer.headers.get('content-type'), await answer.text()] as const
}

describe('the docs', () => {
  it('are served as Markdown, with a list of them', async () => {
    expect(await get('/llms.txt')).toEqual([200, 'text/plain; charset=utf-8', '# waymark\n'])
    expect(await get('/docs/api.md')).toEqual([200, 'text/markdown; charset=utf-8', '# The API\n'])
  })

  it.each(['/docs/none.md', '/docs/secret.txt', '/docs/..%2Fsecret.md', '/docs/', '/docs/api'])(
    'have nothing at %s',
    async (path) => {
      expect((await get(path))[0]).toBe(404)
    },
  )
})
