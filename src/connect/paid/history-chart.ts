import type { z } from 'zod';
import type { historyBody } from '../../api/endpoints/stock-history.ts';
import { grouped } from '../../domain/brief/words/numbers.ts';
import { weightPct } from '../../domain/ratio.ts';
import { signedShares, words } from '../../site/brief/wording.ts';
import { type Html, html } from '../../site/html.ts';

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
<div class="scroll" tabindex="0" role="region" aria-labelledby="history"><table>
<caption>Shares as of today’s count, restated for splits that the filings prove.</caption>
<thead><tr><th scope="col">Quarter</th><th scope="col" class="number">Managers</th><th scope="col" class="number">Shares</th><th scope="col" class="number">Net change</th><th scope="col">Direction</th></tr></thead>
<tbody>${quarters.map(quarterRow).reverse()}</tbody>
</table></div>
</section>`;
}

function quarterRow({ quarter_end, holders, shares, net_share_delta, stance, limitations }: Quarter): Html {
  const lacks = limitations.map((sentence) => html`<span class="below">${sentence}</span>`);
  return html`<tr>
<th scope="row" class="nowrap">${quarter_end}</th>
<td class="number">${holders}</td>
<td class="number">${grouped(shares)}</td>
<td class="number">${signedShares(net_share_delta)}</td>
<td>${words(stance)}${lacks}</td>
</tr>`;
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
