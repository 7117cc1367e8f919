import { abs } from '../money.ts';
import type { Brief } from '../wire/brief.ts';
import { cents, type Derived } from './derived-member.ts';
import { amountWords, dollars, sharesWords } from './words/numbers.ts';

/** The figures of the headline. Its other words are bound by the id alone. */
export function* ofHeadline({
  headline,
  entity,
  requested_ticker,
  institutional,
  insiders,
}: Brief): Generator<Derived> {
  const { holders_up, holders_down, net_share_delta } = institutional.totals;
  const { buy_value_usd, sell_value_usd } = insiders.totals;
  const net = BigInt(net_share_delta);
  const ticker = `${entity.ticker === '' ? requested_ticker : entity.ticker}: `;
  yield ['headline', ticker, headline.slice(0, ticker.length)];
  const [up, down] = [String(holders_up), String(holders_down)];
  yield* stated(
    /[ (]net ([+-][0-9](?:[0-9,.]*[0-9])?(?: m| bn)?) shares?/,
    `${net < 0n ? '-' : '+'}${amountWords(net)}`,
  );
  yield* stated(
    /(?:added|cut) a net [0-9](?:[0-9,.]*[0-9])?(?: m| bn)? shares?/,
    `${net < 0n ? 'cut' : 'added'} a net ${sharesWords(abs(net))}`,
  );
  yield* stated(/([0-9]{1,9}) holders? up/, up);
  yield* stated(/([0-9]{1,9}|none) down/, holders_down === 0 ? 'none' : down);
  yield* stated(/([0-9]{1,9}) holders? down/, down);
  yield* stated(/bought (\$[0-9](?:[0-9,.]*[0-9])?(?: m| bn)?)/, dollars(cents(buy_value_usd) / 100));
  yield* stated(/sold (\$[0-9](?:[0-9,.]*[0-9])?(?: m| bn)?)/, dollars(cents(sell_value_usd) / 100));

  function* stated(pattern: RegExp, expected: string): Generator<Derived> {
    const found = pattern.exec(headline)?.at(-1);
    if (found !== undefined) yield ['headline', expected, found];
  }
}
