import { html } from '../html.mjs'

/** What waymark is, and three things to try; `demo/site/tour.js` ticks them. */
export const tour = () =>
  html`<section class="tour" aria-label="What this is">
    <p class="what">
      <b>waymark</b> is product analytics for the browser that loses no event and sends none twice.
    </p>
    <ol class="steps" aria-label="Try it">
      <li data-step="bought">
        <p><a href="/maps">Buy something</a>: what you do becomes rows in DuckDB.</p>
      </li>
      <li data-step="survived">
        <p>
          <a href="/live#service-switch" data-jump="service-switch" data-part="off">Switch the service off</a
          >, <span data-part="buy">buy</span>, <span data-part="reload">reload the page</span>,
          <span data-part="on">switch it on</span>: nothing is lost.
        </p>
      </li>
      <li data-step="asked">
        <p><a href="/live#sql" data-jump="sql">Ask in SQL</a> who bought what.</p>
      </li>
    </ol>
    <p class="unseen" role="status" data-tour-said></p>
  </section>`
