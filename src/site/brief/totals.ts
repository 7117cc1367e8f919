import { grouped, percentWords } from '../../domain/brief/words/numbers.ts';
import type { Brief } from '../../domain/wire/brief.ts';
import { type Html, html } from '../html.ts';
import { signedShares, usd, words } from './wording.ts';

type Fact = readonly [label: string, value: Html | string];

/** Both legs in figures, and whether they agree. */
export function totalsSection({ institutional, insiders, corroboration, corroboration_detail }: Brief): Html {
  const { totals, options } = institutional;
  const percent =
    totals.net_pct_of_held === null ? '' : ` (${percentWords(totals.net_pct_of_held)} of those held)`;
  const held: Fact[] = [
    ['Net change in shares', `${signedShares(totals.net_share_delta)}${percent}`],
    ['At the price of the reports', usd(totals.net_value_usd)],
    ['Shares held', `${grouped(totals.shares_before)} → ${grouped(totals.shares_now)}`],
    ['Managers up and down', `${totals.holders_up} up, ${totals.holders_down} down`],
  ];
  if (options.managers > 0) held.push(['Managers with options', String(options.managers)]);
  const traded: Fact[] = [
    ['Insider purchases', usd(insiders.totals.buy_value_usd)],
    ['Insider sales', usd(insiders.totals.sell_value_usd)],
    ['of these by plan', usd(insiders.totals.plan_sell_value_usd)],
    ['of these for taxes or with an exercise', usd(insiders.totals.tax_or_exercise_sell_value_usd)],
  ];
  const shared = corroboration_detail.shared_ciks.length;
  const without =
    shared === 0
      ? ''
      : `, without ${shared} ${shared === 1 ? 'insider who is' : 'insiders who are'} also a manager here`;
  return html`<section aria-labelledby="totals">
<h2 id="totals">Totals</h2>
<p>Do insiders support the managers? <strong>${words(corroboration)}</strong>${without}.</p>
<div class="columns">${factList(held)}${factList(traded)}</div>
</section>`;
}

function factList(facts: readonly Fact[]): Html {
  return html`<dl class="facts card">${facts.map(([label, value]) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`)}</dl>`;
}
