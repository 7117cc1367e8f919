import { abs } from '../money.ts';
import type { Brief } from '../wire/brief.ts';
import { cents, type Derived, whole } from './derived-member.ts';
import { amountWords, dollars, sharesWords } from './words/numbers.ts';

const AMOUNT = '[0-9](?:[0-9,.]*[0-9])?(?: m| bn)?';

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
  const net = whole(net_share_delta);
  const ticker = `${entity.ticker === '' ? requested_ticker : entity.ticker}: `;
  yield ['headline', ticker, headline.slice(0, ticker.length)];
  yield* stated(`[ (]net ([+-]${AMOUNT}) shares?`, `${net < 0n ? '-' : '+'}${amountWords(net)}`);
  yield* stated(
    `(?:added|cut) a net ${AMOUNT} shares?`,
    `${net < 0n ? 'cut' : 'added'} a net ${sharesWords(abs(net))}`,
  );
  yield* stated('([0-9]+) holders? up', String(holders_up));
  yield* stated('([0-9]+|none) down', holders_down === 0 ? 'none' : String(holders_down));
  yield* stated('([0-9]+) holders? down', String(holders_down));
  yield* stated(`bought (\\$${AMOUNT})`, dollars(cents(buy_value_usd) / 100));
  yield* stated(`sold (\\$${AMOUNT})`, dollars(cents(sell_value_usd) / 100));

  function* stated(pattern: string, expected: string): Generator<Derived> {
    const found = new RegExp(pattern).exec(headline)?.at(-1);
    if (found !== undefined) yield ['headline', expected, found];
  }
}
