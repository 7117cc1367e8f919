import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../test/runs.ts';
import { cikOf } from '../brief/brief.sample.ts';
import { addDays } from '../calendar.ts';
import type { Cusip, IsoDate, Ticker } from '../ids.ts';
import { cusipAtQuarter } from '../peers/security-at-quarter.ts';
import { quarterEndOf } from '../quarter.ts';
import { fails, form4, listed } from './mapping.sample.ts';
import type { SecurityMapping } from './mapping.ts';
import { cusipMappingsOf, resolveSecurity, tickersOfCusip } from './resolve.ts';
import { mappingsIn, mappingsOn, statementsOf } from './statement.ts';

const FIRST = '2015-01-01' as IsoDate;
const DAYS = 6 * 365;
const SYMBOLS = ['ACM', 'ACM.B', 'ACMB', 'BOLT'];
const CUSIPS = ['037833100', '037833209', '594918104'];
const [ONE, TWO] = [cikOf(1), cikOf(2)];
const CIKS = [ONE, TWO];
const NAMES = ['ACME CORP', 'ACME HOLDINGS', 'BOLT INC', 'BOLT INC CL B'];

/** Days near each other and years apart: gaps of both kinds decide (rule 3.5). */
const day = fc
  .oneof(fc.integer({ min: 0, max: DAYS }), fc.integer({ min: 700, max: 800 }))
  .map((n) => addDays(FIRST, n));
const symbol = fc.constantFrom(...SYMBOLS);
const name = fc.constantFrom(...NAMES);

const fromFails = fc
  .record({
    symbol,
    name,
    cusip: fc.constantFrom(...CUSIPS),
    from: day,
    days: fc.integer({ min: 0, max: 14 }),
  })
  .map(({ symbol, name, cusip, from, days }) => {
    const to = addDays(from, days);
    return fails(symbol, cusip, { name, on: to, from, to });
  });
const fromForm = fc
  .record({ symbol, name, cik: fc.constantFrom(...CIKS), on: day })
  .map(({ symbol, name, cik, on }) => form4(symbol, cik, { name, on, from: on, to: on }));
const fromList = fc
  .record({ symbol, name, cik: fc.constantFrom(...CIKS) })
  .map(({ symbol, name, cik }) => listed(symbol, cik, { name, on: null }));

/** One company list, as one file gives it, and any number of forms and rows of fails files. */
const mappings = fc
  .tuple(
    fc.array(fc.oneof(fromFails, fromForm), { maxLength: 40 }),
    fc.uniqueArray(fromList, { maxLength: 3, selector: ({ symbol, cik }) => `${symbol}|${cik}` }),
  )
  .map(([repeated, list]) => [...repeated, ...list]);

/**
 * Statements that are repeated often: of one symbol by few names, most days within three years. The days of
 * one source's files and forms do not overlap: fails files are of half-months, forms of a day.
 */
const dense = fc.uniqueArray(
  fc
    .oneof(fromFails, fromForm)
    .map((one) => ({ ...one, symbol: 'ACM' as Ticker, name: one.name.slice(0, 4) })),
  { minLength: 20, maxLength: 60, comparator: (a, b) => areOfOneStatement(a, b) && doOverlap(a, b) },
);

function areOfOneStatement(a: SecurityMapping, b: SecurityMapping): boolean {
  return a.source === b.source && a.cusip === b.cusip && a.cik === b.cik && a.name === b.name;
}

function doOverlap(a: SecurityMapping, b: SecurityMapping): boolean {
  return `${a.validFrom}` <= `${b.validTo}` && `${b.validFrom}` <= `${a.validTo}`;
}

const asStored = (own: readonly SecurityMapping[]) => statementsOf(own).flatMap(mappingsIn);

/** What symbols and CUSIPs are resolved to on a day. */
function resolvedOn(asOf: IsoDate, own: readonly SecurityMapping[]) {
  return {
    resolutions: SYMBOLS.map((ticker) => resolveSecurity(ticker as Ticker, own, asOf)),
    tickers: CUSIPS.map((cusip) => tickersOfCusip(cusip as Cusip, own, asOf)),
  };
}

/** Everything that is asked of the mappings on a day. */
function answersOn(asOf: IsoDate, own: readonly SecurityMapping[]) {
  const quarterEnd = quarterEndOf(2017, 1);
  return {
    ...resolvedOn(asOf, own),
    cusips: SYMBOLS.flatMap((ticker) =>
      CUSIPS.map((cusip) => {
        const history = { cusip: cusip as Cusip, mappings: cusipMappingsOf(ticker as Ticker, own), asOf };
        return cusipAtQuarter(history, quarterEnd, []);
      }),
    ),
  };
}

test('joined statements answer as one for each file and form does, on every day (rule 3.4)', {
  tags: ['property'],
}, () => {
  fc.assert(
    fc.property(mappings, day, (own, asOf) => {
      expect(answersOn(asOf, asStored(own))).toEqual(answersOn(asOf, own));
    }),
    { numRuns: runs(400) },
  );
});

test('the few mappings that decide on a day resolve symbols and CUSIPs as all do (rule 3.5)', {
  tags: ['property'],
}, () => {
  fc.assert(
    fc.property(dense, day, (own, asOf) => {
      const deciding = statementsOf(own).flatMap((statement) => mappingsOn(statement, asOf));
      expect(resolvedOn(asOf, deciding)).toEqual(resolvedOn(asOf, own));
    }),
    { numRuns: runs(1_000) },
  );
});

test('of a statement seen for years, its last two days keep a ticker against a list (rule 3.5)', () => {
  const days = ['2015-01-02', '2015-02-02', '2015-03-02', '2019-06-03', '2019-09-03'];
  const own = [
    ...days.map((on) => form4('ACM', ONE, { on, name: 'ACME' })),
    listed('ACM', TWO, { on: null }),
  ];
  const asOf = '2019-12-31' as IsoDate;
  const deciding = statementsOf(own).flatMap((statement) => mappingsOn(statement, asOf));
  expect(resolveSecurity('ACM' as Ticker, deciding, asOf)).toMatchObject({ issuerCik: ONE });
  expect(resolveSecurity('ACM' as Ticker, deciding, asOf)).toEqual(
    resolveSecurity('ACM' as Ticker, own, asOf),
  );
});

test('years of a statement are at most three mappings on a day', () => {
  const days = Array.from({ length: 500 }, (_, n) => addDays(FIRST, n * 4));
  const [statement] = statementsOf(days.map((on) => form4('ACM', cikOf(1), { on })));
  for (const asOf of [addDays(FIRST, -1), addDays(FIRST, 700), addDays(FIRST, 9_000)]) {
    expect(statement && mappingsOn(statement, asOf).length).toBeLessThanOrEqual(3);
  }
});

test('statements are the same in any order of arrival', () => {
  const sorted = (own: readonly SecurityMapping[]) =>
    statementsOf(own)
      .map((one) => ({ ...one, spans: [...(one.spans ?? [])].sort() }))
      .sort((a, b) => (a.id < b.id ? -1 : 1));
  const shuffled = mappings.chain((own) =>
    fc.tuple(fc.constant(own), fc.shuffledSubarray(own, { minLength: own.length })),
  );
  fc.assert(
    fc.property(shuffled, ([own, other]) => {
      expect(sorted(other)).toEqual(sorted(own));
    }),
  );
});

test('a statement that is repeated for years is one', () => {
  const days = Array.from({ length: 500 }, (_, n) => addDays(FIRST, n * 4));
  const own = days.flatMap((on) => [
    form4('ACM', cikOf(1), { on, name: 'ACME CORP' }),
    fails('ACM', '037833100', { on, name: 'ACME CORP' }),
  ]);
  expect(statementsOf(own)).toMatchObject([
    { source: 'form4', validFrom: FIRST, validTo: days.at(-1) },
    { source: 'fails_to_deliver', validFrom: FIRST, validTo: days.at(-1) },
  ]);
});

test('tickers that follow each other in a circle stay what their own statements say (rule 3.10)', () => {
  const own = [
    fails('ACM', '037833100', { on: '2016-12-01', name: 'ACME CORP' }),
    fails('ACM', '037833209', { on: '2016-12-01', name: 'ACME CORP' }),
    fails('ACMB', '037833100', { on: '2016-12-02', name: 'ACME CORP' }),
    fails('ACM.B', '037833209', { on: '2015-01-01', name: 'ACME CORP' }),
  ].map((one) => ({ ...one, validFrom: one.sourceDate, validTo: one.sourceDate }));
  const tickers = ['ACM', 'ACM.B', 'ACMB'] as Ticker[];
  const resolutions = tickers.map((ticker) => resolveSecurity(ticker, own, '2016-12-02' as IsoDate));
  expect(resolutions.filter((one) => 'formerTicker' in one && one.formerTicker !== undefined)).toEqual([]);
});
