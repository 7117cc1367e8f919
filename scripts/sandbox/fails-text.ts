import type { Security } from './market.ts';

type Listed = Pick<Security, 'ticker' | 'cusip' | 'issuer'>;

/**
 * A fails-to-deliver file, the only source with CUSIP and symbol in one row. Securities without a ticker
 * are left out.
 * @param day settlement day, `YYYYMMDD`
 */
export function failsText(day: string, securities: readonly Listed[]): string {
  const rows = securities.flatMap(({ ticker, cusip, issuer }) =>
    ticker === null ? [] : [`${day}|${cusip}|${ticker}|100|${issuer} COM|1.00`],
  );
  return [
    'SETTLEMENT DATE|CUSIP|SYMBOL|QUANTITY (FAILS)|DESCRIPTION|PRICE',
    ...rows,
    `Trailer record count ${rows.length}`,
    '',
  ].join('\n');
}
