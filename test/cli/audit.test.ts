import { afterAll, beforeAll, expect, it } from 'vitest';
import { auditShape } from '../../src/read/audit/shape.ts';
import { ensureIndexes } from '../../src/store/mongo/indexes.ts';
import { seedAudit } from '../store/audit-corpus.ts';
import { openWorld, type World } from '../world.ts';
import { runProcess, tidemark } from './tidemark.ts';

const PAGE = 100;

let world: World;
let empty: World;
beforeAll(async () => {
  [world, empty] = await Promise.all([openWorld(), openWorld()]);
  await ensureIndexes(world.mongo.db);
  await seedAudit(world.mongo.db);
});
afterAll(() => Promise.all([world.close(), empty.close()]));

it('prints only JSON of the documented shape on stdout, and exits 0 for any finding', async () => {
  const run = await runProcess(world, 'audit', '--json', '--limit', '3');
  expect(run.code).toBe(0);
  expect(auditShape.parse(JSON.parse(run.stdout))).toMatchObject({ critical: ['shares_equal_value'] });
});

it('prints tables that fit a terminal of 100 columns, with every section explained', async () => {
  const { stdout } = await tidemark(world, 'audit');
  const lines = stdout.trimEnd().split('\n');
  expect(lines.filter((line) => line.length > PAGE)).toEqual([]);
  for (const said of [
    'Critical: shares_equal_value.',
    'Entries differ in 1, values in 2, beyond rounding in 1.',
    '1 of 2 CUSIPs held as equity have a ticker: 66.6667 % of the value of $90.',
    '1 splits proven, 0 suspected, 0 changes of CUSIP proven, 0 suspected, 1 mass exits, 1 stock mergers.',
    '-$500,000,000 !',
  ]) {
    expect(stdout.replaceAll('\n', ' ')).toContain(said);
  }
});

it('--strict exits 1 while there is a critical reason, else 0', async () => {
  expect((await tidemark(world, 'audit', '--strict')).code).toBe(1);
  expect((await tidemark(world, 'audit', '--strict', '--quarter', '2019q3')).code).toBe(0);
});

it('a home without filings is audited too, and the report says that nothing was ingested', async () => {
  const run = await tidemark(empty, 'audit');
  expect(run.code).toBe(0);
  expect(run.stdout).toContain('the first ingestion has not finished');
});

it('a mistake is one line: exit 2 for the command line, exit 1 for an unknown ticker', async () => {
  for (const args of [
    ['--quarter', '2018'],
    ['--limit', '-1'],
    ['--ticker', '!'],
  ]) {
    const run = await tidemark(world, 'audit', ...args);
    expect([run.code, run.stderr.includes('error:')]).toEqual([2, true]);
  }
  const run = await tidemark(world, 'audit', '--ticker', 'NOPE');
  expect([run.code, run.stderr.trim()]).toEqual([1, 'tidemark: the ticker NOPE is not known']);
});
