import { writeFileSync } from 'node:fs'
import { renderPage } from './page/renderPage.mjs'

/** Writes docs/peers.html, as soon as there are results of every part. @param {any} results */
export function writePage(results) {
  const { bytes, cost, delivery, service } = results
  if (!bytes || cost.length === 0 || delivery.length === 0 || service.length === 0) return
  writeFileSync(new URL('../../docs/peers.html', import.meta.url), renderPage(results))
}
