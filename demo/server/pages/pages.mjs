import { catalogue, terrains } from '../catalogue.mjs'
import { html } from '../html.mjs'
import { livePanel } from './livePanel.mjs'
import { sheetCard } from './sheetCard.mjs'

/** @typedef {import('./layout.mjs').Page} Page */

/** @type {() => Page} */
const home = () => ({
  path: '/',
  page: 'home',
  title: 'Fernweg, maps for long walks',
  main: html`<section class="opening">
      <h1>Maps for <em>long walks</em>,<br />printed one at a time.</h1>
      <p class="lede">
        Eight sheets at 1 : 25 000, on paper that survives a wet rucksack. Every path on them was walked by
        someone who wrote down what they saw.
      </p>
      <p><a class="button" href="/maps">See the sheets</a></p>
    </section>
    <section aria-labelledby="newest">
      <h2 id="newest">Fresh from the press</h2>
      <ul class="cards pairs">
        ${catalogue.filter((_, index) => [0, 5, 2, 3].includes(index)).map(sheetCard)}
      </ul>
    </section>`,
})

/** @type {() => Page} */
const maps = () => ({
  path: '/maps',
  page: 'maps',
  title: 'All sheets · Fernweg',
  main: html`<h1>All sheets</h1>
    <nav class="terrains" aria-label="Kinds of country">
      <a href="/maps" data-terrain="" aria-current="true">Everything</a>
      ${Object.entries(terrains).map(
        ([terrain, label]) => html`<a href="/maps?terrain=${terrain}" data-terrain="${terrain}">${label}</a>`,
      )}
    </nav>
    <p class="caption" role="status" data-shown>${catalogue.length} sheets</p>
    <ul class="cards">
      ${catalogue.map(sheetCard)}
    </ul>`,
})

/** @param {import('../catalogue.mjs').Sheet} sheet @returns {Page} */
const map = ({ slug, name, terrain, km, days, price, text, mark }) => ({
  path: `/maps/${slug}`,
  page: 'map',
  title: `${name} · Fernweg`,
  main: html`<article class="sheet" data-slug="${slug}" data-name="${name}" data-price="${price}">
    <img
      src="/sheets/${slug}.svg"
      alt="Contour map of ${name} with its marked path"
      width="590"
      height="430"
    />
    <div>
      <h1>${name}</h1>
      <p class="lede">${text}</p>
      <dl class="facts">
        <div>
          <dt>Country</dt>
          <dd>${terrains[terrain]}</dd>
        </div>
        <div>
          <dt>Length</dt>
          <dd>${km} km in ${days} ${days === 1 ? 'day' : 'days'}</dd>
        </div>
        <div>
          <dt>Scale</dt>
          <dd>1 : 25 000</dd>
        </div>
        <div>
          <dt>Waymark</dt>
          <dd>${mark}</dd>
        </div>
      </dl>
      <p class="row">
        <button type="button" data-add>Put in the basket, € ${price}</button>
        <a href="/basket" data-added hidden>Go to the basket</a>
      </p>
      <p role="status" class="caption" data-said></p>
    </div>
  </article>`,
})

/** @type {() => Page} */
const basket = () => ({
  path: '/basket',
  page: 'basket',
  title: 'Basket · Fernweg',
  main: html`<h1>Basket</h1>
    <p data-empty hidden>There is nothing in it. <a href="/maps">Look at the sheets</a>.</p>
    <div data-full hidden>
      <ul class="lines" data-lines></ul>
      <p class="total">Together <b data-total></b></p>
      <p><button type="button" data-order>Order (nothing is charged)</button></p>
    </div>
    <p role="status" class="caption" data-said></p>`,
})

/** @type {() => Page} */
const join = () => ({
  path: '/join',
  page: 'join',
  title: 'Sign up · Fernweg',
  main: html`<h1>Sign up</h1>
    <p class="lede">
      The name and the plan become traits of the person in DuckDB. Of the address it gets a short id and
      nothing else.
    </p>
    <form class="join" data-join>
      <p>
        <label for="name">Name</label
        ><input id="name" name="name" autocomplete="given-name" required maxlength="80" />
      </p>
      <p>
        <label for="email">Email</label
        ><input id="email" name="email" type="email" autocomplete="email" required maxlength="200" />
      </p>
      <fieldset>
        <legend>Plan</legend>
        <label><input type="radio" name="plan" value="rambler" checked /> Rambler, one map a year</label>
        <label><input type="radio" name="plan" value="surveyor" /> Surveyor, all of them</label>
      </fieldset>
      <p><button type="submit">Sign up</button></p>
    </form>`,
})

/** @type {() => Page} */
const thanks = () => ({
  path: '/thanks',
  page: 'thanks',
  title: 'Your order · Fernweg',
  main: html`<section class="opening" data-ordered hidden>
      <h1>Thank you. <em>Mind the bogs.</em></h1>
      <p class="lede">
        The order was tracked in the very moment you left the basket page: <b>Order Placed</b>
        <span data-order-state></span>.
      </p>
      <p><a class="button" href="/maps">More sheets</a></p>
    </section>
    <section class="opening" data-not-ordered>
      <h1>Nothing ordered yet.</h1>
      <p class="lede">This page thanks for an order, and in this tab there was none.</p>
      <p><a class="button" href="/maps">See the sheets</a></p>
    </section>`,
})

/** @param {import('./layout.mjs').Settings} settings @returns {Page} */
const live = (settings) => ({
  path: '/live',
  page: 'live',
  title: 'Live view · Fernweg',
  main: html`<h1 class="unseen">Live view</h1>
    ${livePanel(settings)}`,
})

/** @type {() => Page} */
export const notFound = () => ({
  path: '',
  page: 'lost',
  title: 'Not on this sheet · Fernweg',
  main: html`<section class="opening">
    <h1>Not on <em>this sheet</em>.</h1>
    <p><a class="button" href="/maps">All sheets</a></p>
  </section>`,
})

/** Every page of the shop by its path. @type {Map<string, (settings: import('./layout.mjs').Settings) => Page>} */
export const pages = new Map([
  ['/live', live],
  ...[home, maps, basket, join, thanks].map((page) => /** @type {const} */ ([page().path, page])),
  ...catalogue.map((sheet) => /** @type {const} */ ([`/maps/${sheet.slug}`, () => map(sheet)])),
])
