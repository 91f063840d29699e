import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ServerOptions } from '../../src/index.js'
import { createService } from '../fixtures/createService.js'
import { runWaymark } from '../fixtures/runWaymark.js'
import { parquetIn } from './oldStore.js'
import { useOldStore } from './useOldStore.js'

const { startAndArchive } = useOldStore()

describe('a start with an archive', () => {
  it('is refused in one sentence when the folder is not the one that the store needs', async () => {
    const { service, root } = await startAndArchive()
    mkdirSync(join(root, 'full'))
    writeFileSync(join(root, 'full', 'a'), '')
    writeFileSync(join(root, 'file'), '')
    await service.stop()
    const refused = (options: ServerOptions, reason: RegExp) =>
      expect(createService({ dataFolder: join(root, 'data'), ...options })).rejects.toThrow(reason)
    await refused({}, /has events in 6 files of an archive; name its folder by --archive/)
    await refused(
      { archiveFolder: join(root, 'gone') },
      /gone has no archive.json, .* in 6 files of it: mount/,
    )
    const other = await createService({ archiveFolder: join(root, 'other') })
    await other.close()
    await refused({ archiveFolder: join(root, 'other') }, /other belongs to another store/)
    const fresh = { dataFolder: join(root, 'fresh') }
    await refused({ ...fresh, archiveFolder: join(root, 'full') }, /full holds other files/)
    await refused({ ...fresh, archiveFolder: join(root, 'file') }, /file cannot be used: ENOTDIR/)
    await refused({ ...fresh, archiveFolder: '/proc/archive' }, /cannot be used/)
    await refused({ ...fresh, archiveFolder: root }, /holds the data folder/)
    await refused({ ...fresh, archiveFolder: join(root, 'a*') }, /one of the signs/)
    await service.restart()
  })

  it('removes files that no transaction has counted, and nothing else', async () => {
    const { service, archive } = await startAndArchive()
    const known = parquetIn(archive)
    const folder = join(archive, 'environment=production/day=2026-01-05/late=false')
    await service.stop()
    for (const name of ['events-1-2-aaaa.parquet', 'events-1-2-aaaa.parquet.new', 'mine.parquet'])
      writeFileSync(join(folder, name), '')
    await service.restart()
    expect(parquetIn(archive)).toEqual(
      [...known, 'environment=production/day=2026-01-05/late=false/mine.parquet'].toSorted(),
    )
  })
})

describe('the commands', () => {
  it('check, export and backup know of the archive', async () => {
    const { service, root, archive } = await startAndArchive()
    const data = ['--data', service.folder] as const
    const told = `${archive}: 6 files of the archive with 122 events, as the store says.`
    const running = await runWaymark('check', ...data)
    expect(
      running.lines.filter((line) => line.includes('of the archive') || line.startsWith('WRONG')),
    ).toEqual([`ok     ${told}`])

    const backup = await runWaymark('backup', join(root, 'backup.tar'), ...data)
    expect(backup.lines.at(-1)).toBe(
      `Not in it: 122 events in 6 files of the archive ${archive}. Copy that folder too; its files never change.`,
    )
    await service.stop()
    const exported = await runWaymark('export', '--parquet', join(root, 'export'), ...data)
    expect(exported.lines).toEqual([`9 files are in ${join(root, 'export')}.`])

    const restored = join(root, 'restored')
    const restore = await runWaymark('restore', join(root, 'backup.tar'), '--data', restored)
    expect(restore.lines.at(-1)).toContain(`It needs 6 files of the archive ${archive}`)
    const other = await createService({ dataFolder: restored, archiveFolder: archive })
    const { rows } = await other.query('SELECT count(*) FROM events')
    await other.stop()
    expect(rows).toEqual([[123]])

    const [lost = '', short = ''] = parquetIn(archive)
    rmSync(join(archive, lost))
    copyFileSync(join(archive, parquetIn(archive).at(-1)!), join(archive, short))
    const stopped = await runWaymark('check', ...data)
    expect(stopped.code).toBe(1)
    expect(stopped.lines.filter((line) => line.startsWith('WRONG'))).toEqual([
      `WRONG  ${archive}/${lost} is missing.`,
      `WRONG  ${archive}/${short} has not the bytes that were written.`,
    ])
  })
})
