import { describe, expect, test } from 'vitest';
import { evidenceIdOf13f, type IsoDate, type QuarterEnd } from '../ids.ts';
import { briefInput, corpus, form4, type InputFields, observation, tradeRow } from './brief.sample.ts';
import { buildBrief } from './brief.ts';

const observations = [observation(), observation({ currentShares: 500n })];
const ownershipFilings = [form4({ number: 1 })];
const brief = (fields: InputFields = {}) =>
  buildBrief(briefInput({ observations, ownershipFilings, ...fields }));
const base = brief();

describe('facts_id (rule 8.7)', () => {
  test.each<[string, InputFields]>([
    ['another as-of date', { asOf: '2020-04-01' as IsoDate }],
    [
      'an unrelated filing that could not be read',
      { corpus: corpus({ quarantined: { thirteenF: 1, form4: 1 } }) },
    ],
    ['a manager that stopped reporting', { staleQuarters: ['2018-12-31' as QuarterEnd] }],
  ])('stays with %s, which makes another brief', (_name, fields) => {
    const other = brief(fields);
    expect(other.brief_id).not.toBe(base.brief_id);
    expect(other.facts_id).toBe(base.facts_id);
  });

  test('changes with options, and their filings are evidence', () => {
    const one = { ...observation(), putCall: 'PUT' as const };
    const other = brief({ options: [one] });
    expect(other.institutional.options).toMatchObject({ managers: 1, put_underlying_delta: '1000' });
    expect(other.facts_id).not.toBe(base.facts_id);
    for (const accession of one.accessions) {
      expect(other.manifest.evidence_ids).toContain(evidenceIdOf13f(accession));
    }
    const stance = { stance: base.institutional.stance, totals: base.institutional.totals };
    expect(other.institutional).toMatchObject(stance);
  });

  test('changes with a position or a trade of the stock', () => {
    const position = brief({ observations: [...observations, observation()] });
    const trade = brief({ ownershipFilings: [form4({ number: 1, rows: [{}, tradeRow({ shares: '7' })] })] });
    expect(new Set([base, position, trade].map(({ facts_id }) => facts_id)).size).toBe(3);
  });
});
