import { expect, test } from '@playwright/test'
import { until } from './fixtures/until'

test.describe('waiting for a value', () => {
  test('goes on as long as what is read changes', async () => {
    let count = 0
    await until(() => ++count, 50, { pauseMs: 1, quietReadings: 2 })
    expect(count).toBe(50)
  })

  test('gives up when nothing changes, and shows what was read last', async () => {
    let count = 0
    const stuck = until(() => Math.min(++count, 3), 50, { pauseMs: 1, quietReadings: 4 })
    await expect(stuck).rejects.toThrow(/Expected:.*50[^]*Received:.*3/)
    expect(count).toBe(7)
  })

  test('does not use up the time that the test has', async () => {
    test.setTimeout(1000)
    let count = 0
    await until(() => ++count, 150, { pauseMs: 10 })
  })
})
