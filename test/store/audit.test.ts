import { beforeAll, expect, test } from 'vitest';
import { APPLE, GOOGL, SPY } from '../../src/domain/filing/filing.sample.ts';
import { type Audit, auditStored } from '../../src/read/audit/audit.ts';
import { ensureIndexes } from '../../src/store/mongo/indexes.ts';
import { opened } from '../opened.ts';
import { openWorld } from '../world.ts';
import { EARLIER, LATEST, ONE, seedAudit, TWO } from './audit-corpus.ts';

const world = opened(openWorld);
let audit: Audit;
const whole = { quarterEnd: null, limit: 5 };
const ask = (request: Partial<Parameters<typeof auditStored>[1]>) =>
  auditStored(world.mongo.db, { ...whole, ...request }, () => undefined);

beforeAll(async () => {
  await ensureIndexes(world.mongo.db);
  await seedAudit(world.mongo.db);
  audit = await ask({});
});

function section({ sections }: Audit, title: string) {
  const found = sections.find((one) => one.title.startsWith(title));
  if (found === undefined) throw new Error(`no section ${title}`);
  return found;
}

const reasonOf = (name: string) =>
  section(audit, 'Quality reasons').rows.find((row) => row['reason'] === name);

test('every reason is counted on filings, reports and observations, with what it does, critical ones first', () => {
  const counts = { filings: 0, reports: 0, observations: 1, examples: '' };
  const split = { reason: 'split_suspected', severity: 'warning', effect: 'uncertain' };
  expect(reasonOf('split_suspected')).toEqual({ ...split, ...counts });
  const malformed = { filings: 5, reports: 0, examples: 'whole text silent' };
  expect(reasonOf('cusip_malformed')).toMatchObject(malformed);
  expect(reasonOf('price_missing')).toMatchObject({ filings: 1, observations: 1 });
  expect(section(audit, 'Quality reasons').rows[0]).toMatchObject({ severity: 'critical' });
});

test('a critical reason of a filing alone does not stand, one of a report does', () => {
  expect(audit.critical).toEqual(['shares_equal_value']);
});

test('declared totals are compared with every row, those without a CUSIP too, the largest difference first', () => {
  const { about, rows } = section(audit, 'Declared');
  expect(about).toMatch(/^3 tables .* 2 declare no total.* in 1, values in 2, beyond rounding in 1\.$/);
  // Filed before 2023: half a million thousands of dollars.
  const short = { filing: 'short', entries: -1, value_usd: '-500000000', beyond_rounding: true };
  expect(rows).toMatchObject([short, { filing: 'rounded', entries: 0, beyond_rounding: false }]);
});

test('CUSIPs without a ticker are those held now; outliers, exits and old versions weigh nothing', () => {
  const { about, rows } = section(audit, 'CUSIPs without');
  expect(about).toContain('1 of 2 CUSIPs held as equity have a ticker: 66.6667 % of the value of $90, 50 %');
  expect(rows).toEqual([{ cusip: SPY, issuer: `ISSUER OF ${SPY}`, managers: 2, value_usd: '30' }]);
});

test('suspected splits and the votes of the filers are listed, the closest vote first', () => {
  expect(section(audit, 'Suspected splits').rows).toMatchObject([{ cusip: APPLE, managers: 1 }]);
  const { about, rows } = section(audit, 'Splits, new');
  expect(about).toContain('1 mass_exit, 1 split, 1 stock_merger.');
  // 9 of 10, 37 of 41 and 19 of 20.
  expect(rows).toMatchObject([
    { cusip: GOOGL, from: null, factor: null },
    { cusip: APPLE, from: null, factor: '4:1' },
    { cusip: SPY, from: GOOGL, factor: '1.025:1' },
  ]);
});

test('scales, identical positions, text tables, quarantine and trades are listed with their filings', () => {
  expect(section(audit, 'Scales').rows).toMatchObject([
    { reason: 'value_unit_thousands_after_2023', cik: ONE, quarter: EARLIER },
    { reason: 'value_unit_unverified', cik: ONE, quarter: LATEST },
    { reason: 'shares_equal_value', cik: TWO, quarter: LATEST },
  ]);
  expect(section(audit, 'Positions of').rows).toMatchObject([{ cik: TWO, other_cik: ONE }]);
  expect(section(audit, 'Text tables').rows).toMatchObject([{ filing: 'text', confidence: 'low' }]);
  expect(section(audit, 'Quarantined').rows).toEqual([
    { code: 'not_xml', filings: 1, example: 'broken', reason: 'Why' },
  ]);
  expect(section(audit, 'Trades').rows).toHaveLength(2);
});

test('a quarter leaves the others out', async () => {
  const earlier = await ask({ quarterEnd: EARLIER });
  expect(earlier.stored).toEqual({ filings_13f: 2, filings_form4: 0, reports: 1, positions: 0, trades: 0 });
  expect(section(earlier, 'Scales').rows).toHaveLength(1);
  expect(section(earlier, 'Splits, new').about).toMatch(/^None/);
});

test('rows are cut to the limit, totals are not', async () => {
  const short = await ask({ limit: 1 });
  const { about, rows } = section(short, 'Declared');
  expect(rows).toMatchObject([{ filing: 'short' }]);
  expect(about).toContain('values in 2');
  expect(section(short, 'Splits, new').rows).toHaveLength(1);
});
