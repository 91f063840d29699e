import { html } from '../html.mjs'

const examples = [
  ['Events by name', 'SELECT event, count(*) AS times\nFROM events\nGROUP BY event\nORDER BY times DESC'],
  [
    'Who bought what',
    "SELECT coalesce(traits->>'name', person_id)\n" +
      "         AS who, prop(properties, 'maps') AS maps,\n" +
      "       prop_number(properties, 'total') AS total\n" +
      'FROM events LEFT JOIN persons\n     USING (environment, person_id)\n' +
      "WHERE event = 'Order Placed'",
  ],
  [
    'Seen, taken, bought',
    "SELECT count(DISTINCT person_id) FILTER (event = 'Map Viewed') AS seen,\n" +
      "       count(DISTINCT person_id) FILTER (event = 'Added to Basket') AS taken,\n" +
      "       count(DISTINCT person_id) FILTER (event = 'Order Placed') AS bought\nFROM events",
  ],
  [
    'On the way',
    'SELECT event, received_at - timestamp AS took\nFROM events\nORDER BY received_at DESC\nLIMIT 10',
  ],
]

/** @param {string} id @param {string} label @param {string} [about] */
const station = (id, label, about) =>
  html`<li class="station" data-station="${id}">
    <output class="figure" id="n-${id}">–</output>
    <span class="label">${label}</span>
    <span class="about" id="about-${id}">${about}</span>
  </li>`

/**
 * Everything that shows what waymark does, the same beside the shop and on its own page.
 * @param {Pick<import('./layout.mjs').Settings, 'endpoint' | 'sqlUser' | 'sqlPassword'>} settings
 */
export function livePanel({ endpoint, sqlUser, sqlPassword }) {
  return html`<div class="live" id="live">
    <section class="route" aria-labelledby="route-title">
      <div class="title-row">
        <h2 id="route-title">Live view</h2>
        <button type="button" class="switch" role="switch" id="service-switch" aria-checked="true" disabled>
          <span class="track" aria-hidden="true"></span>Service <b id="service-state">…</b>
        </button>
      </div>
      <ol class="stations">
        ${station('queued', 'in the queue')} ${station('sent', 'sent')} ${station('stored', 'in DuckDB')}
      </ol>
      <p class="state">
        <span id="state-line">Waiting for the script.</span>
        <button type="button" class="plain" id="flush">Send now</button>
      </p>
      <h3 id="journal-title">What the pages called</h3>
      <ol class="journal" id="journal" aria-labelledby="journal-title"></ol>
      <p class="empty" id="journal-empty">Nothing yet. Look at a map.</p>
    </section>

    <section class="minutes" aria-labelledby="minutes-title">
      <h3 id="minutes-title">Events per minute</h3>
      <div class="chart" id="chart"></div>
      <p class="caption" id="chart-caption"></p>
    </section>

    <div class="latest">
      <h3 id="latest-title">Latest rows</h3>
      <div class="scroll" tabindex="0" role="region" aria-labelledby="latest-title" id="latest"></div>
    </div>

    <div class="people">
      <h3 id="people-title">Persons</h3>
      <div class="scroll" tabindex="0" role="region" aria-labelledby="people-title" id="people"></div>
    </div>

    <section class="ask" aria-labelledby="ask-title">
      <h3 id="ask-title">Ask DuckDB</h3>
      <form id="sql-form">
        <label for="sql">SQL over <code>events</code> and <code>persons</code></label>
        <textarea
          id="sql"
          rows="6"
          spellcheck="false"
          autocapitalize="off"
          autocomplete="off"
          required
          aria-describedby="sql-keys"
        >
${examples[0][1]}</textarea>
        <p class="row">
          <button type="submit">Run</button>
          <button type="button" class="plain" id="sql-cancel" hidden>Cancel</button>
          <span class="hint" id="sql-keys">or Ctrl + Enter</span>
        </p>
        <ul class="examples" aria-label="Examples">
          ${examples.map(([label, sql]) => html`<li><button type="button" class="plain" data-example="${sql}">${label}</button></li>`)}
        </ul>
      </form>
      <details id="columns">
        <summary>Columns of <code>events</code> and <code>persons</code></summary>
        <div class="scroll" tabindex="0" role="region" aria-label="Columns">Asking …</div>
      </details>
      <p class="error" id="sql-error" role="alert"></p>
      <div class="scroll" id="answer" tabindex="0" role="region" aria-label="Answer" hidden></div>
      <p class="caption" id="answer-caption" role="status"></p>
    </section>

    <section class="screens" aria-labelledby="screens-title">
      <h3 id="screens-title">The service's screens</h3>
      <p>
        <a href="${endpoint}/app/" target="_blank" rel="noopener">Overview, people, funnel, retention, SQL</a>
        of the same rows. User <code>${sqlUser}</code>, password <code>${sqlPassword}</code>.
      </p>
    </section>

    <section class="ids" aria-labelledby="ids-title">
      <h3 id="ids-title">Ids of this browser</h3>
      <dl id="ids"></dl>
    </section>
  </div>`
}
