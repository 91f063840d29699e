import { terrains } from '../catalogue.mjs'
import { html } from '../html.mjs'

/** A sheet in a list. @param {import('../catalogue.mjs').Sheet} sheet */
export const sheetCard = ({ slug, name, terrain, km, days, price }) =>
  html`<li class="card" data-terrain="${terrain}">
    <a href="/maps/${slug}">
      <img src="/sheets/${slug}.svg" alt="" width="590" height="430" loading="lazy" />
      <span class="name">${name}</span>
      <span class="facts">${terrains[terrain]} · ${km} km · ${days} ${days === 1 ? 'day' : 'days'}</span>
      <span class="price">€ ${price}</span>
    </a>
  </li>`
