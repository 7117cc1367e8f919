import type { QuarterEnd } from '../ids.ts';
import { abs } from '../money.ts';
import { quarterLabel } from '../quarter.ts';
import type { Brief } from '../wire/brief.ts';
import { cents, type Derived, sum } from './restated-trades.ts';
import { doubtWords, uncertainChanges } from './words/holder-words.ts';
import { amountWords, dollars, sharesWords } from './words/numbers.ts';

/** The figures, quarters and doubts of the headline. Its other words are bound by the id alone. */
export function* ofHeadline(brief: Brief): Generator<Derived> {
  const { headline, entity, requested_ticker, institutional, insiders, coverage } = brief;
  const { holders_up, holders_down, net_share_delta } = institutional.totals;
  const { buy_value_usd, sell_value_usd } = insiders.totals;
  const net = BigInt(net_share_delta);
  const ticker = `${entity.ticker === '' ? requested_ticker : entity.ticker}: `;
  yield ['headline', ticker, headline.slice(0, ticker.length)];
  const [up, down] = [String(holders_up), String(holders_down)];
  yield* stated(
    /[ (]net ([+-][0-9](?:[0-9,.]*[0-9])?(?: m| bn)?) shares?/g,
    `${net < 0n ? '-' : '+'}${amountWords(net)}`,
  );
  yield* stated(
    /(?:added|cut) a net [0-9](?:[0-9,.]*[0-9])?(?: m| bn)? shares?/g,
    `${net < 0n ? 'cut' : 'added'} a net ${sharesWords(abs(net))}`,
  );
  if (!coverage.thirteen_f.truncated) yield* ofShown();
  yield* stated(/([0-9]{1,9}) holders? up/g, up);
  yield* stated(/([0-9]{1,9}|none) down/g, holders_down === 0 ? 'none' : down);
  yield* stated(/([0-9]{1,9}) holders? down/g, down);
  yield* stated(/bought (\$[0-9](?:[0-9,.]*[0-9])?(?: m| bn)?)/g, dollars(cents(buy_value_usd) / 100));
  yield* stated(/sold (\$[0-9](?:[0-9,.]*[0-9])?(?: m| bn)?)/g, dollars(cents(sell_value_usd) / 100));

  yield* ofQuarters(brief);

  function* ofShown(): Generator<Derived> {
    const { changes } = institutional;
    const moves = [net, ...changes.map(({ share_delta }) => BigInt(share_delta))].map(amountWords);
    const one = /(?:added|cut|position of|exited) \(?([0-9](?:[0-9,.]*[0-9])?(?: m| bn)?) shares?/g;
    // What one manager moved, or all in one direction.
    for (const [, amount = ''] of headline.matchAll(one)) yield ['headline', true, moves.includes(amount)];
    const doubted = uncertainChanges({ changes });
    yield* stated(
      /(?:[0-9]|none) (?:holders? )?(?:up|down)(, [0-9]{1,9} in doubt|)\. /g,
      doubted === 0 ? '' : `, ${doubted} in doubt`,
    );
    yield* stated(
      /The direction of managers is in doubt[^:.]{0,99}: ([^.]{0,99})\. /gu,
      doubtWords({ changes }),
    );
  }

  function* stated(pattern: RegExp, expected: string): Generator<Derived> {
    for (const match of headline.matchAll(pattern)) yield ['headline', expected, match.at(-1)];
  }
}

/** The quarters of the headline are those that were compared, else those observed, else the latest one. */
function* ofQuarters({ headline, institutional, manifest, coverage }: Brief): Generator<Derived> {
  const { periods_observed: observed, latest_reported_quarter_end: latest } = institutional;
  const claim = manifest.claims.find(({ kind }) => kind === 'institutional_stance');
  const compared = (claim?.values['periods_compared'] ?? []) as typeof observed;
  const managersOf = new Map(observed.map(({ quarter_end, managers }) => [quarter_end, managers]));
  const isObserved = ({ quarter_end, managers }: (typeof observed)[number]): boolean =>
    Number.isInteger(managers) && managers > 0 && managers <= (managersOf.get(quarter_end) ?? 0);
  yield ['periods_compared', true, compared.every(isObserved)];
  const { tracked_managers_observed: tracked, counts } = institutional;
  yield ['periods_compared', tracked - counts.baseline_only, sum(compared.map(({ managers }) => managers))];
  const periods = compared.length > 0 ? compared : observed;
  const named = [...headline.matchAll(/ (?:in|at|and) ([0-9]{4}Q[1-4])/g)].map(([, label]) => label);
  const quarters = periods.map(({ quarter_end }) => quarter_end);
  if (coverage.thirteen_f.observations_total === 0 && latest !== null) quarters.push(latest);
  if (quarters.length === 0 || named.length === 0) return;
  const labels = quarters.map((quarterEnd) => quarterLabel(quarterEnd as QuarterEnd));
  yield ['headline quarters', labels.toSorted(), named.toSorted()];
  const still = / in ([0-9]{4}Q[1-4]) \(([0-9]{1,9}) managers? still at /.exec(headline);
  if (still === null || latest === null) return;
  const late = sum(periods.map((period) => (period.quarter_end === latest ? 0 : period.managers)));
  yield ['headline quarters', [quarterLabel(latest as QuarterEnd), late], [still[1], Number(still[2])]];
}
