import { expect, test } from 'vitest';
import type { IsoDate } from '../ids.ts';
import { briefInput, form4, reportingOwner } from './brief.sample.ts';
import { buildBrief } from './brief.ts';

const SALE = { shares: '5000', pricePerShare: '9.2' };
/** A form with a row whose code is missing, as {@link fieldReader} leaves it. */
const UNREADABLE = { code: null, shares: '1000', unreadable: ['transactionCode is missing'] };
const LIMITATION = `1 Form 4 filing was read only in part, without 1 row: ${form4({ number: 1 }).header.accession}.`;

const briefOf = (...rows: Parameters<typeof form4>[0]['rows'] & object) =>
  buildBrief(briefInput({ ownershipFilings: [form4({ number: 1, rows })] }));

test('a row that cannot be read leaves the others of its form, and is named (rule 6.1)', () => {
  const brief = briefOf(SALE, UNREADABLE);
  expect(brief.insiders.totals.sell_value_usd).toBe(46_000);
  expect(brief.insiders).toMatchObject({ stance: 'net_selling', counts: { sells: 1 } });
  expect(brief.coverage.limitations).toContain(LIMITATION);
  expect(brief.coverage.limitation_codes).toContainEqual({ code: 'row_unreadable', scope: 'ticker' });
  const [group] = brief.quality_artifacts.groups.filter(({ reason }) => reason === 'row_unreadable');
  expect(group?.examples[0]?.detail).toContain('transactionCode is missing');
});

test('where nothing else is read, the brief does not say that there was no trade (rule 6.1)', () => {
  const brief = briefOf(UNREADABLE);
  expect(brief.headline).toContain('Insider filings could be read only in part.');
  expect([brief.insiders.stance, brief.outcome]).toEqual(['not_available', 'uncertain']);
  expect(brief.coverage.limitations).toContain(LIMITATION);
});

test('a row of another day or another security is not missing (rule 6.1)', () => {
  const long = { ...UNREADABLE, transactionDate: '2019-01-02' as IsoDate };
  for (const row of [long, { ...UNREADABLE, securityTitle: 'Series B Preferred Stock' }]) {
    const form = form4({ number: 1, owners: [reportingOwner(1)], rows: [row] });
    const brief = buildBrief(briefInput({ ownershipFilings: [form] }));
    expect(brief.insiders.stance).toBe('none_found');
    expect(brief.coverage.limitations.join()).not.toContain('only in part');
  }
});
