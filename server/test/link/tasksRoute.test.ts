import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { TaskIds } from '../../src/wal/TaskIds.js'
import { apiKey } from '../fixtures/createService.js'
import { event } from '../fixtures/events.js'
import { useService } from '../fixtures/useService.js'

const service = useService()

const uuid = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/

describe('GET /tasks/{task_id}', () => {
  it.each([
    ['/track', event('task')],
    ['/identify', { environment: 'production', distinct_id: 'task' }],
    ['/alias', { environment: 'production', distinct_id: 'task', new_user_id: 'task-2' }],
  ])('tells when what %s accepted can be queried', async (path, body) => {
    const { body: answer } = await service.ingest(path, body)
    expect(answer['task_id']).toMatch(uuid)
    let status = ''
    while (status !== 'completed') {
      const task = await service.get(`/tasks/${String(answer['task_id'])}`)
      expect(task.body).toEqual({
        task_id: answer['task_id'],
        status: expect.stringMatching(/^(pending|completed)$/),
      })
      status = String(task.body['status'])
      await delay(5)
    }
  })

  it('is completed at once after sync=true', async () => {
    const { body } = await service.ingest('/track?sync=true', event('sync'))
    const task = await service.get(`/tasks/${String(body['task_id'])}`)
    expect(task.body['status']).toBe('completed')
  })

  it('knows an id from before a restart', async () => {
    const { body } = await service.ingest('/track?sync=true', event('restart'))
    await service.restart()
    const task = await service.get(`/tasks/${String(body['task_id'])}`)
    expect(task.body['status']).toBe('completed')
  })

  it.each(['nonsense', '6b29fc40-ca47-1067-b31d-00dd010662da', '00000000-0001-8000-8000-000000000000'])(
    'answers 400 to the id %s',
    async (id) => {
      expect(await service.get(`/tasks/${id}`)).toMatchObject({
        status: 400,
        body: { error: 'invalid-task-id' },
      })
    },
  )

  it('takes the API key as well as the user, and nobody else', async () => {
    const { body } = await service.ingest('/track', event('auth'))
    const path = `/tasks/${String(body['task_id'])}`
    expect((await service.send('GET', path, undefined, { 'x-api-key': apiKey })).status).toBe(200)
    expect((await service.send('GET', path)).status).toBe(401)
    const staging = { authorization: 'Basic eDp5' }
    expect((await service.send('GET', `${path}?apiKey=${apiKey}`, undefined, staging)).status).toBe(200)
    expect((await service.send('GET', path, undefined, { authorization: 'Basic eDp5' })).status).toBe(401)
  })

  it.each(['maybe', 'TRUE!'])('refuses sync=%s', async (value) => {
    const answer = await service.ingest(`/track?sync=${value}`, event('never'))
    expect(answer).toMatchObject({ status: 400, body: { ok: false, error: 'invalid-parameter' } })
  })
})

describe('a task id', () => {
  it('gives back its place, and nothing once a bit of it has changed', () => {
    const ids = new TaskIds(Buffer.alloc(32, 7))
    const place = { log: 3, last: 2 ** 40 + 5 }
    const id = ids.issue(place)
    expect(id).toMatch(uuid)
    expect(ids.read(id)).toEqual(place)
    for (let at = 0; at < id.length; at++) {
      if (id[at] === '-') continue
      const changed = id.slice(0, at) + (id[at] === '0' ? '1' : '0') + id.slice(at + 1)
      expect(ids.read(changed)).toBeUndefined()
    }
    expect(new TaskIds(Buffer.alloc(32, 8)).read(id)).toBeUndefined()
  })
})
