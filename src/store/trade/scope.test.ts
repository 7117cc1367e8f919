import { describe, expect, test } from 'vitest';
import { AS_OF, cikOf, form4, ISSUER, reportingOwner } from '../../domain/brief/brief.sample.ts';
import type { IsoDate } from '../../domain/ids.ts';
import { allRowsOf } from '../../domain/insider/trades.ts';
import { type ScopeQuery, scopesFor, scopesOf } from './scope.ts';

const EVERYTHING: ScopeQuery = {
  issuerCik: null,
  reportingOwnerCik: null,
  codes: 'all',
  side: null,
  since: null,
  until: null,
  asOf: AS_OF,
};
const day = (text: string): IsoDate => text as IsoDate;

const TRADES = allRowsOf(
  [
    form4({
      number: 1,
      owners: [reportingOwner(1), reportingOwner(2)],
      rows: [{ code: 'P' }, { code: 'S' }, { code: 'A', transactionDate: day('2019-12-30') }],
    }),
  ],
  AS_OF,
);

/** Codes of the trades that are in a scope of the query. */
function within(query: Partial<ScopeQuery>): string {
  const scopes = new Set(scopesFor({ ...EVERYTHING, ...query }));
  const found = TRADES.filter((trade) => scopesOf(trade).some((scope) => scopes.has(scope)));
  return found.map((trade) => trade.row.code).join('');
}

describe('the scopes of a query hold what it asks for and nothing of another code', () => {
  test.each([
    [{}, 'PSA'],
    [{ codes: ['P', 'S'] }, 'PS'],
    [{ codes: ['S', 'P'], side: 'sell' }, 'S'],
    [{ codes: ['A', 'P'] }, 'PA'],
    [{ codes: ['A', 'P'], side: 'other' }, 'A'],
    [{ side: 'buy' }, 'P'],
    [{ side: 'other' }, 'A'],
    [{ codes: ['P'], side: 'sell' }, ''],
    [{ issuerCik: ISSUER }, 'PSA'],
    [{ issuerCik: cikOf(1) }, ''],
    [{ reportingOwnerCik: cikOf(900_002), side: 'sell' }, 'S'],
    [{ until: day('2020-02-28') }, 'PSA'],
    [{ until: day('2019-12-31') }, 'A'],
    [{ since: day('2020-01-01'), until: day('2020-02-28') }, 'PS'],
    [{ until: day('1989-12-31') }, ''],
  ] as [Partial<ScopeQuery>, string][])('%j', (query, codes) => {
    expect(within(query)).toBe(codes);
  });

  test('the usual query is one scope', () => {
    expect(scopesFor({ ...EVERYTHING, codes: ['P', 'S'] })).toEqual(['|P,S']);
    expect(scopesFor({ ...EVERYTHING, codes: ['P', 'S'], issuerCik: ISSUER })).toEqual([`i:${ISSUER}|P,S`]);
  });

  test('so many scopes that an index could not be read in order fall back to fewer', () => {
    const codes = [...'ABCDEFGHIJ'];
    expect(scopesFor({ ...EVERYTHING, codes, until: day('2019-12-31') })).toHaveLength(codes.length);
  });
});
