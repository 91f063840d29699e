import { median } from '../../delivery/median.mjs'
import { peers } from '../peers.mjs'

/** @typedef {{ peer: string, title: string, median: number, least: number, most: number }} Figure */

/** The control of the burst is a library among the others. */
const compared = [...peers, { name: 'bare', title: 'a bare queue' }]
const titleOf = (/** @type {string} */ name) => compared.find((peer) => peer.name === name)?.title ?? name

/** @param {string} peer @param {number[]} values @returns {Figure} */
const toFigure = (peer, values) => ({
  peer,
  title: titleOf(peer),
  median: median(values),
  least: Math.min(...values),
  most: Math.max(...values),
})

/**
 * One figure of the cost part for every library, over all rounds; one that was given up in a round has none.
 * @param {{ peers: Record<string, Record<string, number>> }[]} rounds
 * @param {{ read: (one: Record<string, number>) => number, over?: boolean }} metric
 */
export function summariseCost(rounds, { read, over = false }) {
  const figures = compared
    .filter(({ name }) => rounds.every((round) => round.peers[name]))
    .map(({ name }) => {
      const values = rounds.map(({ peers: found }) => {
        const control = over ? read(found.nothing ?? {}) : 0
        return Math.max(0, read(found[name] ?? {}) - control)
      })
      return toFigure(name, values)
    })
  return {
    figures: figures.filter((one) => !Number.isNaN(one.most)),
    gaveUp: figures.filter((one) => Number.isNaN(one.most)).map(({ title }) => title),
  }
}

/** One size of the bytes part; a peer without it is left out. */
export const summariseBytes = (
  /** @type {Record<string, any>} */ bytes,
  /** @type {'bundle' | 'tag' | 'later' | 'lean'} */ kind,
) =>
  peers
    .filter(({ name }) => bytes[name]?.[kind]?.brotli)
    .map(({ name }) => toFigure(name, [bytes[name][kind].brotli]))

/**
 * Who is ahead of waymark, where less is better, the best first.
 * @param {Figure[]} figures
 */
export function aheadOfWaymark(figures) {
  const ours = figures.find(({ peer }) => peer === 'waymark')
  if (!ours) return []
  return figures.filter((one) => one.median < ours.median).toSorted((a, b) => a.median - b.median)
}

/** Requests a second of the service and of the bare handler. */
export const summariseService = (/** @type {any[]} */ rounds) => [
  {
    ...toFigure(
      'waymark',
      rounds.map(({ waymark }) => waymark.perSecond),
    ),
    title: 'waymark-server',
  },
  {
    ...toFigure(
      'bare',
      rounds.map(({ bare }) => bare.perSecond),
    ),
    title: 'a bare Node handler',
  },
]
