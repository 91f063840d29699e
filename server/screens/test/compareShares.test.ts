import { describe, expect, it } from 'vitest'
import { compareShares, correct, peopleNeeded, quantile, type Share } from '../src/pages/funnel/compareShares'

const share = (did: number, people: number): Share => ({ did, people })

describe('compareShares', () => {
  // By scipy 1.17.1: `fisher_exact`, `chi2_contingency` without Yates, and Newcombe's interval of `proportion_ci` by Wilson.
  it.each([
    [7, 15, 12, 18, 0.3041088327, -0.1262203378, 0.4772349468],
    [1, 9, 11, 12, 0.0003708365937, 0.3835374607, 0.9196126856],
    [0, 10, 3, 10, 0.2105263158, -0.03759243458, 0.6032218525],
    [56, 70, 48, 80, 0.01252112975, -0.333872654, -0.0524314724],
    [120, 1000, 150, 1000, 0.05759585087, 1.37824342e-5, 0.06000825857],
    [2, 4, 2, 4, 1, -0.4949196078, 0.4949196078],
    [9, 10, 3, 10, 0.0197666111, -0.8090179735, -0.1705227239],
    [5, 5, 0, 5, 0.007936507937, -1, -0.3855490057],
    [3, 50, 40, 300, 0.1685138486, -0.03430431942, 0.1317465561],
    // Beyond 10,000 people.
    [1200, 10_000, 1310, 10_000, 0.01888059724, 0.00181676878, 0.02018488876],
    [48_000, 400_000, 48_800, 400_000, 0.006096027975, 0.0005707102637, 0.003429299258],
  ])('says of %i of %i and %i of %i what others say', (a, of, b, ofOther, p, low, high) => {
    const [one] = compareShares(share(a, of), [share(b, ofOther)])
    expect(one?.p).toBeCloseTo(p, 8)
    expect(one?.low).toBeCloseTo(low, 8)
    expect(one?.high).toBeCloseTo(high, 8)
  })

  it('is wider, and corrected, where more are compared', () => {
    const others = [share(150, 1000), share(125, 1000), share(118, 1000)]
    const [one, ...rest] = compareShares(share(120, 1000), others)
    expect(one?.p).toBeCloseTo(3 * 0.05759585087, 8)
    expect([one?.low, one?.high]).toEqual([
      expect.closeTo(-0.006667251477, 8),
      expect.closeTo(0.0666989388, 8),
    ])
    expect(rest.map(({ p }) => p)).toEqual([1, 1])
  })

  it('says how many people are needed, and nothing where they are there or where there is no difference', () => {
    const [one] = compareShares(share(120, 1000), [share(150, 1000)])
    expect(one?.needed).toBe(2036)
    expect(compareShares(share(56, 70), [share(48, 80)])[0]?.needed).toBeUndefined()
    expect(compareShares(share(2, 4), [share(2, 4)])[0]?.needed).toBeUndefined()
    expect(peopleNeeded(0.5, 0.6, 0.05)).toBe(388)
    expect(peopleNeeded(0.12, 0.15, 0.05 / 3)).toBe(2716)
  })

  it('knows the normal distribution', () => {
    expect(quantile(0.025)).toBeCloseTo(1.9599639845, 9)
    expect(quantile(0.001)).toBeCloseTo(3.0902323062, 9)
    expect(quantile(0.0001)).toBeCloseTo(3.7190164855, 9)
    expect(quantile(1e-9)).toBeCloseTo(5.997807015, 8)
  })

  it('corrects by Holm', () => {
    expect(correct([0.01, 0.04, 0.03, 0.005]).map((p) => Number(p.toFixed(6)))).toEqual([
      0.03, 0.06, 0.06, 0.02,
    ])
    expect(correct([])).toEqual([])
  })
})
