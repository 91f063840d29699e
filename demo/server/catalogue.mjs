/**
 * What the shop sells: maps of places that do not exist.
 * @typedef {{ slug: string, name: string, terrain: Terrain, km: number, days: number, price: number, seed: number, text: string, mark: string }} Sheet
 * @typedef {'fell' | 'coast' | 'forest' | 'moor'} Terrain
 */

/** @type {Record<Terrain, string>} */
export const terrains = { fell: 'High ground', coast: 'Coast', forest: 'Woods', moor: 'Moor' }

/** @type {Sheet[]} */
export const catalogue = [
  {
    slug: 'harrow-fell',
    name: 'Harrow Fell',
    terrain: 'fell',
    km: 38,
    days: 3,
    price: 14,
    seed: 11,
    mark: 'white over red',
    text: 'A horseshoe of seven summits with one good bridge. Carry water for the second day.',
  },
  {
    slug: 'saltmarsh-way',
    name: 'Saltmarsh Way',
    terrain: 'coast',
    km: 61,
    days: 4,
    price: 16,
    seed: 27,
    mark: 'white over blue',
    text: 'Dykes, ferries and very large skies. The tide table is printed on the back.',
  },
  {
    slug: 'elderwood',
    name: 'Elderwood',
    terrain: 'forest',
    km: 22,
    days: 2,
    price: 12,
    seed: 5,
    mark: 'yellow bar',
    text: 'Old beech on old limestone. Every charcoal platform is on the sheet, and all nine springs.',
  },
  {
    slug: 'the-long-moor',
    name: 'The Long Moor',
    terrain: 'moor',
    km: 47,
    days: 3,
    price: 14,
    seed: 42,
    mark: 'white stone',
    text: 'Forty-seven kilometres without a fence. Bearings are given where the path is not.',
  },
  {
    slug: 'kettle-tarn',
    name: 'Kettle Tarn',
    terrain: 'fell',
    km: 29,
    days: 2,
    price: 14,
    seed: 63,
    mark: 'red dot',
    text: 'Up over the pass and once around the water, which is for swimming and stays cold.',
  },
  {
    slug: 'ness-and-skerries',
    name: 'Ness & Skerries',
    terrain: 'coast',
    km: 33,
    days: 2,
    price: 16,
    seed: 78,
    mark: 'blue dot',
    text: 'Cliff path and causeways. Two of the islands are walked to, one is only looked at.',
  },
  {
    slug: 'peat-road',
    name: 'Peat Road',
    terrain: 'moor',
    km: 18,
    days: 1,
    price: 10,
    seed: 91,
    mark: 'yellow stone',
    text: 'The old cutters’ track, dry in August and honest about it in April.',
  },
  {
    slug: 'beech-ride',
    name: 'Beech Ride',
    terrain: 'forest',
    km: 54,
    days: 3,
    price: 15,
    seed: 34,
    mark: 'green bar',
    text: 'Three forests joined by hedgerows, with a bakery at the end of each day.',
  },
]
