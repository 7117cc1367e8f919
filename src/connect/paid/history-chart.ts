import type { z } from 'zod';
import type { historyBody } from '../../api/endpoints/stock-history.ts';
import { grouped } from '../../domain/brief/words/numbers.ts';
import { weightPct } from '../../domain/ratio.ts';
import { signedShares, words } from '../../site/brief/wording.ts';
import { type Html, html } from '../../site/html.ts';
import { tableOf } from '../../site/table.ts';

type Quarter = z.output<typeof historyBody>['data']['quarters'][number];

const WIDTH = 720;
const HEIGHT = 160;
const GAP = 10;
/** So that two quarters do not fill the page. */
const MAX_STEP = 90;

/** The shares that tracked managers held at each quarter end, oldest first, and the same as a table. */
export function historySection(newestFirst: readonly Quarter[]): Html {
  const quarters = [...newestFirst].reverse();
  return html`<section aria-labelledby="history">
<h2 id="history">Held by tracked managers</h2>
${quarters.length === 0 ? html`<p>No report of the last quarters has the stock.</p>` : chart(quarters)}
${tableOf({
  name: 'Quarters',
  caption: 'Shares as of today’s count, restated for splits that the filings prove.',
  columns: [
    { title: 'Quarter' },
    ...['Managers', 'Shares', 'Net change'].map((title) => ({ title, isNumber: true })),
    { title: 'Direction' },
  ],
  rows: newestFirst.map(quarterRow),
})}
</section>`;
}

function quarterRow({ quarter_end, holders, shares, net_share_delta, stance, limitations }: Quarter) {
  const lacks = limitations.map((sentence) => html`<span class="below">${sentence}</span>`);
  return [
    html`<span class="nowrap">${quarter_end}</span>`,
    holders,
    grouped(shares),
    signedShares(net_share_delta),
    html`${words(stance)}${lacks}`,
  ];
}

function chart(quarters: readonly Quarter[]): Html {
  const most = quarters.reduce((max, { shares }) => (BigInt(shares) > max ? BigInt(shares) : max), 1n);
  const step = Math.min(MAX_STEP, WIDTH / quarters.length);
  const bars = quarters.map(({ shares }, at) => {
    const height = (weightPct(BigInt(shares), most) * (HEIGHT - GAP)) / 100;
    const x = at * step + GAP / 2;
    return html`<rect class="bar-held" x="${x.toFixed(1)}" y="${(HEIGHT - height).toFixed(1)}" width="${(step - GAP).toFixed(1)}" height="${height.toFixed(1)}"/>`;
  });
  return html`<figure class="dots">
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="Shares held at each quarter end; the table below lists them.">${bars}<path class="bar-zero" d="M0 ${HEIGHT}h${step * quarters.length}"/></svg>
<figcaption><span>${quarters[0]?.quarter_end} to ${quarters.at(-1)?.quarter_end}</span></figcaption>
</figure>`;
}
