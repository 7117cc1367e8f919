import { afterAll, beforeAll, expect, test } from 'vitest';
import { APPLE, GOOGL, SPY } from '../../src/domain/filing/filing.sample.ts';
import type { Ticker } from '../../src/domain/ids.ts';
import { auditStored } from '../../src/read/audit/audit.ts';
import { type Audit, auditShape } from '../../src/read/audit/shape.ts';
import { ensureIndexes } from '../../src/store/mongo/indexes.ts';
import { openWorld, type World } from '../world.ts';
import { EARLIER, LATEST, ONE, seedAudit, TWO } from './audit-corpus.ts';

let world: World;
let audit: Audit;
const whole = { quarterEnd: null, ticker: null, limit: 5 };
const ask = (request: Partial<Parameters<typeof auditStored>[1]>) =>
  auditStored(world.mongo.db, { ...whole, ...request }, () => undefined);

beforeAll(async () => {
  world = await openWorld();
  await ensureIndexes(world.mongo.db);
  await seedAudit(world.mongo.db);
  audit = await ask({});
});
afterAll(() => world.close());

const reasonOf = (of: Audit, name: string) => of.reasons.find(({ reason }) => reason === name);

test('the answer is of the documented shape', () => {
  expect(auditShape.parse(audit)).toEqual(audit);
});

test('every reason is counted on filings, reports and observations, with what it does', () => {
  expect(reasonOf(audit, 'split_suspected')).toEqual({
    reason: 'split_suspected',
    leg: 'thirteen_f',
    severity: 'warning',
    effect: 'uncertain',
    filings: 0,
    reports: 0,
    observations: 1,
    examples: [],
  });
  expect(reasonOf(audit, 'cusip_malformed')).toMatchObject({
    filings: 5,
    reports: 0,
    examples: ['whole', 'text', 'silent'],
  });
  expect(reasonOf(audit, 'price_missing')).toMatchObject({ filings: 1, observations: 1 });
  expect(audit.reasons[0]?.severity).toBe('critical');
});

test('a critical reason of a filing alone does not stand, one of a report does', () => {
  expect(audit.critical).toEqual(['shares_equal_value']);
});

test('declared totals are compared with every row, those without a CUSIP too, the largest difference first', () => {
  const { worst, ...counts } = audit.declared_totals;
  expect(counts).toEqual({
    compared: 3,
    undeclared: 2,
    entries_differ: 1,
    values_differ: 2,
    values_differ_beyond_rounding: 1,
  });
  expect(worst.map(({ accession_number }) => accession_number)).toEqual(['short', 'rounded']);
  expect(worst[0]).toMatchObject({
    declared_entries: 3,
    parsed_entries: 2,
    parsed_value: '2000007',
    // Filed before 2023: half a million thousands of dollars, in cents.
    value_difference_cents: '-50000000000',
    beyond_rounding: true,
  });
});

test('the share of value and of positions with a ticker is given by quarter, the newest first', async () => {
  expect(audit.mapping_coverage[0]).toMatchObject({
    quarter_end: LATEST,
    ...{ cusips: 2, mapped_cusips: 1, mapped_value_cents: '6000', mapped_value_pct: 66.6667 },
  });
  const quarters = audit.mapping_coverage.map(({ quarter_end }) => quarter_end);
  expect(quarters).toEqual(quarters.toSorted().reverse());
  // A value that prices contradict is in no sum, but its position counts.
  const { positions, mapped_positions, mapped_positions_pct } = audit.mapping_coverage[0] ?? {};
  expect([positions, mapped_positions, mapped_positions_pct]).toEqual([4, 2, 50]);
  const one = await ask({ quarterEnd: LATEST });
  expect(one.mapping_coverage).toEqual(audit.mapping_coverage.slice(0, 1));
});

test('unmapped CUSIPs are those held now without a ticker; outliers, exits and old versions weigh nothing', () => {
  expect(audit.unmapped_cusips).toEqual({
    quarter_end: LATEST,
    cusips: 2,
    value_cents: '9000',
    mapped_cusips: 1,
    mapped_value_cents: '6000',
    mapped_value_pct: 66.6667,
    worst: [{ cusip: SPY, issuer: `ISSUER OF ${SPY}`, managers: 2, value_cents: '3000' }],
  });
});

test('suspected splits and the votes of the filers are listed, the closest vote first', () => {
  expect(audit.splits_suspected).toMatchObject({ total: 1, worst: [{ cusip: APPLE, managers: 1 }] });
  const { worst, ...counts } = audit.corporate_actions;
  expect(counts).toEqual({
    splits: 1,
    splits_suspected: 0,
    cusip_changes: 0,
    cusip_changes_suspected: 0,
    mass_exits: 1,
    mass_entries: 0,
    stock_mergers: 1,
  });
  // 9 of 10, 37 of 41 and 19 of 20.
  expect(worst.map(({ cusip, from, factor }) => [cusip, from, factor])).toEqual([
    [GOOGL, null, null],
    [APPLE, null, '4:1'],
    [SPY, GOOGL, '1.025:1'],
  ]);
});

test('scales, identical positions, text tables, quarantine and amendments are listed with their filings', () => {
  expect(audit.scales.corrected).toMatchObject({ total: 1, worst: [{ quarter_end: EARLIER }] });
  expect(audit.scales.unverified.worst.map(({ manager }) => manager.cik)).toEqual([ONE]);
  expect(audit.scales.shares_equal_value.total).toBe(1);
  expect(audit.identical_positions.worst).toMatchObject([{ manager: { cik: TWO }, other_cik: ONE }]);
  expect(audit.text_tables).toMatchObject({
    filings: 1,
    by_confidence: { low: 1 },
    worst: [{ accession_number: 'text' }],
  });
  expect(audit.quarantined).toEqual([
    {
      code: 'not_xml',
      filings: 1,
      examples: [{ accession_number: 'broken', form: '13F-HR', reason: 'Why' }],
    },
  ]);
  expect(audit.unreconciled_amendments.total).toBe(2);
});

test('a quarter leaves the others out', async () => {
  const earlier = await ask({ quarterEnd: EARLIER });
  expect(earlier.stored).toEqual({ filings_13f: 2, filings_form4: 0, reports: 1, positions: 0, trades: 0 });
  expect(earlier.scales.corrected.total).toBe(1);
  expect(earlier.corporate_actions.splits).toBe(0);
});

test('a ticker leaves other securities out, and managers that do not hold it', async () => {
  const apple = await ask({ ticker: 'AAPL' as Ticker });
  expect(apple.unmapped_cusips).toMatchObject({ cusips: 1, value_cents: '6000', mapped_value_pct: 100 });
  expect(apple.corporate_actions).toMatchObject({ splits: 1, mass_exits: 0 });
  expect(apple.stored).toMatchObject({ positions: 2, trades: 0 });
  await expect(ask({ ticker: 'NOPE' as Ticker })).rejects.toThrow('the ticker NOPE is not known');
});

test('lists are cut to the limit, totals are not', async () => {
  const short = await ask({ limit: 1 });
  expect(short.declared_totals.worst.map(({ accession_number }) => accession_number)).toEqual(['short']);
  expect(short.declared_totals.values_differ).toBe(2);
  expect(short.corporate_actions.worst).toHaveLength(1);
});
