import { describe, expect, it } from 'vitest'
import { listSchema } from '../src/pages/sql/listSchema'

describe('listSchema', () => {
  it('names what there is as short as a statement may, analytics first', () => {
    const relations = listSchema([
      ['lakehouse', 'main', 'Orders', 'order', 'BIGINT', null, null],
      ['lakehouse', 'shop', 'orders', 'id', 'BIGINT', null, null],
      ['analytics', 'main', 'events', 'event', 'VARCHAR', 'The name.', 'Every event.'],
      ['analytics', 'main', 'events', 'path', 'VARCHAR', null, 'Every event.'],
      ['analytics', 'main', 'prop', null, 'properties, name', null, 'A property as text.'],
    ])
    expect(relations.map(({ name }) => name)).toEqual(['events', 'prop', '"Orders"', 'lakehouse.shop.orders'])
    expect(relations[0]).toMatchObject({
      comment: 'Every event.',
      columns: [{ name: 'event', type: 'VARCHAR', comment: 'The name.' }, { name: 'path' }],
    })
    expect(relations[1]).toMatchObject({ parameters: 'properties, name', columns: [] })
  })
})
