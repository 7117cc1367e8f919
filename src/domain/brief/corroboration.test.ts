import { describe, expect, test } from 'vitest';
import type { Corroboration, Insiders, Institutional } from '../wire/brief.ts';
import { briefInput, form4, observation, reportingOwner } from './brief.sample.ts';
import { buildBrief } from './brief.ts';
import { corroborate } from './corroboration.ts';

const INSIDERS: Insiders['stance'][] = ['net_buying', 'net_selling', 'mixed', 'none_found', 'not_available'];
const NEITHER = INSIDERS.map((): Corroboration => 'not_comparable');
/** Rule 8.5, one row per institutional stance, columns in the order of INSIDERS. */
const TABLE: Record<Institutional['stance'], Corroboration[]> = {
  net_increases: ['supports', 'contradicts', 'mixed', 'not_comparable', 'not_comparable'],
  net_decreases: ['contradicts', 'supports', 'mixed', 'not_comparable', 'not_comparable'],
  mixed: ['mixed', 'mixed', 'mixed', 'not_comparable', 'not_comparable'],
  unchanged: NEITHER,
  none_found: NEITHER,
  not_determined: NEITHER,
};

const rows = (Object.keys(TABLE) as Institutional['stance'][]).flatMap((institutional) =>
  INSIDERS.map((insiders, column) => [institutional, insiders, TABLE[institutional][column]] as const),
);

test.each(rows)('%s with %s is %s', (institutional, insiders, expected) => {
  expect(corroborate(institutional, insiders)).toBe(expected);
});

describe('a manager does not corroborate itself (rule 8.5)', () => {
  const manager = observation();
  const itself = { ...reportingOwner(1), cik: manager.cik };
  const bought = (number: number, owners = [reportingOwner(number)], shares = '100') =>
    form4({ number, owners, rows: [{ code: 'P', shares }] });
  const of = (...ownershipFilings: ReturnType<typeof bought>[]) =>
    buildBrief(briefInput({ observations: [manager], ownershipFilings }));

  test('its trades stay in the insider leg and are not compared', () => {
    const brief = of(bought(1, [reportingOwner(1), itself]));
    expect(brief.insiders).toMatchObject({ stance: 'net_buying', counts: { buys: 1 } });
    expect(brief.corroboration).toBe('not_comparable');
    expect(brief.corroboration_detail).toEqual({ independent: false, shared_ciks: [manager.cik] });
    expect(brief.coverage.limitations).toContain(
      '1 trade is by a manager of the 13F leg. It does not corroborate what the manager itself reports.',
    );
  });

  test('the trades of others decide, and the claim says so', () => {
    const sold = form4({ number: 2, owners: [reportingOwner(2)], rows: [{ shares: '10' }] });
    const brief = of(bought(1, [itself], '900'), sold);
    expect([brief.insiders.stance, brief.corroboration]).toEqual(['net_buying', 'contradicts']);
    expect(brief.corroboration_detail).toEqual({ independent: true, shared_ciks: [manager.cik] });
    const claim = brief.manifest.claims.find(({ kind }) => kind === 'corroboration');
    expect(claim?.values).toMatchObject({ insiders_stance: 'net_selling', ...brief.corroboration_detail });
  });

  test('without its trades the comparison is independent, and without any trade it is not', () => {
    expect(of(bought(1)).corroboration_detail).toEqual({ independent: true, shared_ciks: [] });
    expect(of().corroboration_detail).toEqual({ independent: false, shared_ciks: [] });
  });
});
