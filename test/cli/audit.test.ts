import { afterAll, beforeAll, expect, it } from 'vitest';
import { ensureIndexes } from '../../src/store/mongo/indexes.ts';
import { seedAudit } from '../store/audit-corpus.ts';
import { openWorld, type World } from '../world.ts';
import { runProcess, tidemark } from './tidemark.ts';

let world: World;
let empty: World;
beforeAll(async () => {
  [world, empty] = await Promise.all([openWorld(), openWorld()]);
  await ensureIndexes(world.mongo.db);
  await seedAudit(world.mongo.db);
});
afterAll(() => Promise.all([world.close(), empty.close()]));

it('prints only JSON on stdout, and exits 0 for any finding', async () => {
  const run = await runProcess(world, 'audit', '--json', '--limit', '3');
  expect(run.code).toBe(0);
  const critical = ['shares_equal_value'];
  expect(JSON.parse(run.stdout)).toMatchObject({ schema_version: 'audit.v3', critical });
});

it('prints every section with its totals and its worst rows', async () => {
  const { stdout } = await tidemark(world, 'audit');
  for (const said of [
    'Critical: shares_equal_value.',
    'Entries differ in 1, values in 2, beyond rounding in 1.',
    '1 of 2 CUSIPs held as equity have a ticker: 66.6667 % of the value of $90, 50 % of the positions.',
    '1 mass_exit, 1 split, 1 stock_merger.',
    '-500000000',
  ]) {
    expect(stdout).toContain(said);
  }
});

it('--strict exits 1 while there is a critical reason, else 0', async () => {
  expect((await tidemark(world, 'audit', '--strict')).code).toBe(1);
  expect((await tidemark(world, 'audit', '--strict', '--quarter', '2019q3')).code).toBe(0);
});

it('a home without filings is audited too, and the page says that nothing was ingested', async () => {
  const run = await tidemark(empty, 'audit');
  expect(run.code).toBe(0);
  expect(run.stdout).toContain('the first ingestion has not finished');
});

it('a mistake is one line and exit 2', async () => {
  for (const args of [
    ['--quarter', '2018'],
    ['--limit', '-1'],
  ]) {
    const run = await tidemark(world, 'audit', ...args);
    expect([run.code, run.stderr.includes('error:')]).toEqual([2, true]);
  }
});
