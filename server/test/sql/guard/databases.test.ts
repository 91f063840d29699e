import { describe, expect, it } from 'vitest'
import { useService } from '../../fixtures/useService.js'

const service = useService()

describe('duckdb_databases(), by which tools look for a catalog', () => {
  it('shows no path, however it is written', async () => {
    for (const source of [
      'duckdb_databases()',
      'DUCKDB_DATABASES /* all */ ( ) AS d',
      '(FROM duckdb_databases() JOIN duckdb_databases() others USING (database_oid))',
    ]) {
      const { error, columns, rows } = await service.query(`FROM ${source} WHERE database_name = 'lakehouse'`)
      expect(error).toBeUndefined()
      expect(rows).toHaveLength(1)
      const at = columns.findIndex(({ name }) => name === 'path')
      expect([at > 0, rows[0]?.[at]]).toEqual([true, null])
      expect(JSON.stringify(rows)).not.toContain(service.folder)
    }
    await service.query('CREATE VIEW seen_catalogs AS FROM duckdb_databases()')
    const { rows } = await service.query('SELECT database_name, path FROM seen_catalogs')
    expect(rows).toEqual(expect.arrayContaining([['lakehouse', null]]))
  })
})
