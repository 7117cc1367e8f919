import { describe, expect, test } from 'vitest';
import { cikOf } from '../brief/brief.sample.ts';
import type { Cusip, IsoDate, QuarterEnd, Ticker } from '../ids.ts';
import { cusipAtQuarter } from '../peers/security-at-quarter.ts';
import { fails, form4 } from './mapping.sample.ts';
import { printedSymbol, type SecurityMapping } from './mapping.ts';
import { cusipMappingsOf, resolveSecurity, tickersOfCusip, tickerThroughMove } from './resolve.ts';

/** A symbol as fails files print it, with the first and the last day. */
function row(printed: string, cusip: string, days: string, name: string): SecurityMapping {
  const [from = '', to = from] = days.split('/');
  const { symbol = '', ...placeholder } = printedSymbol(printed) ?? {};
  return { ...fails(symbol, cusip, { on: to, from, to, name }), ...placeholder };
}
const on = (ticker: string, asOf: string, all: readonly SecurityMapping[]) =>
  resolveSecurity(ticker as Ticker, all, asOf as IsoDate);

test.each([
  ['PQXXXX', 'PQ', 'XXXX'],
  ['FZZZZ', 'F', 'ZZZZ'],
  ['VXXXXXX', 'VXX', 'XXXX'],
  ['UGAZZZZZ', 'UGAZ', 'ZZZZ'],
])('%s is a placeholder of %s', (printed, symbol, placeholder) => {
  expect(printedSymbol(printed)).toEqual({ symbol, placeholder });
});

test.each(['PQ', 'VXX', 'WZZZY', 'XXXX', 'ZZZZ', 'ZZZ'])('%s is a symbol', (symbol) => {
  expect(printedSymbol(symbol)).toEqual({ symbol });
});

/** `cnsfails201912b.zip`; the later rows are of 2020. */
const [OLD, NEW] = ['690768403', '67098H104'];
const owens = [
  row('OI', OLD, '2019-01-04/2019-12-27', 'OWENS-ILLINOIS INC'),
  row('OIZZZZ', NEW, '2019-12-27', 'O-I GLASS INC COM (DE)'),
  row('OIXXXX', OLD, '2019-12-30', 'OWENS-ILLINOIS INC'),
  row('OI', NEW, '2019-12-30/2019-12-31', 'O-I GLASS INC COM (DE)'),
];

describe('a symbol that moves to another CUSIP with placeholders on both', () => {
  test('is one security on every day, although the names share no word (rule 3.5)', () => {
    const cusipOn = (asOf: string) => on('OI', asOf, owens);
    expect(cusipOn('2019-12-27')).toMatchObject({ kind: 'resolved', cusip: OLD });
    expect(cusipOn('2019-12-30')).toMatchObject({ kind: 'resolved', cusip: NEW });
    expect(cusipOn('2020-01-20')).toMatchObject({ kind: 'resolved', cusip: NEW });
    for (const placeholder of ['OIXXXX', 'OIZZZZ']) {
      expect(on(placeholder, '2020-01-20', owens)).toMatchObject({ kind: 'unknown' });
    }
  });

  test('keeps its issuer while forms still name it as before (rule 3.6)', () => {
    const form = form4('OI', cikOf(1), { on: '2019-12-20', name: 'OWENS ILLINOIS INC /DE/' });
    expect(on('OI', '2020-01-05', [...owens, form])).toMatchObject({ cusip: NEW, issuerCik: cikOf(1) });
  });

  test('names the security in reports of both CUSIPs (rule 3.9)', () => {
    const asOf = '2020-01-20' as IsoDate;
    expect(tickersOfCusip(NEW as Cusip, owens, asOf)).toEqual(['OI']);
    expect(tickersOfCusip(OLD as Cusip, owens, asOf)).toEqual([]);
    expect(tickerThroughMove(OLD as Cusip, owens, asOf)).toBe('OI');
    const history = { cusip: NEW as Cusip, mappings: cusipMappingsOf('OI' as Ticker, owens), asOf };
    expect(cusipAtQuarter(history, '2019-09-30' as QuarterEnd, [])).toBe(OLD);
  });

  test('is ambiguous as before when only one of the two has one', () => {
    const [old, , , now] = owens.map((mapping) => mapping);
    const alone = [old, now, row('OIZZZZ', OLD, '2019-12-30', 'OWENS-ILLINOIS INC')].flatMap((m) => m ?? []);
    expect(on('OI', '2020-01-05', alone)).toMatchObject({ kind: 'ambiguous' });
  });
});

test('a placeholder is no later name of its security (rule 3.10)', () => {
  const pq = [
    row('PQ', '53096X101', '2026-02-12/2026-05-13', 'PQUOD SHIPPING INC'),
    row('PQXXXX', '53096X101', '2026-05-14', 'PQUOD SHIPPING INC'),
  ];
  expect(on('PQ', '2026-05-20', pq)).toMatchObject({ ticker: 'PQ', cusip: '53096X101' });
  expect(on('PQ', '2026-05-20', pq)).not.toHaveProperty('formerTicker');
});

test('a placeholder printed after the new CUSIP brings the old one back on no day', () => {
  const freightos = 'FREIGHTOS LTD ORD SHS (CYM)';
  const rows = [
    row('CRGO', '35702D108', '2023-01-30', freightos),
    row('CRGO', 'G51405101', '2023-01-31/2023-02-07', freightos),
    row('CRGOXXXX', '35702D108', '2023-02-09/2023-03-01', freightos),
  ];
  expect(on('CRGO', '2023-03-01', rows)).toMatchObject({ cusip: 'G51405101' });
});

test('a CUSIP that was printed with a placeholder only belongs to its root', () => {
  const only = [row('WFXXXX', '98105T104', '2019-01-14', 'WOORI BK ADR')];
  expect(on('WF', '2019-01-20', only)).toMatchObject({ ticker: 'WF', cusip: '98105T104' });
});
