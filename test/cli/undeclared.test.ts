import { afterAll, beforeAll, expect, it } from 'vitest';
import { openWorld, type World } from '../world.ts';
import { runProcess } from './tidemark.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld({ EDGAR_URL: 'https://www.sec.gov', EDGAR_USER_AGENT: '' });
});
afterAll(() => world.close());

it.each([
  ['13f', '--from', '2013q2'],
  ['filings', '--cik', '320193'],
])(
  'without EDGAR_USER_AGENT a backfill says so in one line and ends with exit code 1: %s',
  async (...what) => {
    const run = await runProcess(world, 'backfill', ...what);
    expect(run.code).toBe(1);
    expect(run.stderr).toMatch(/^tidemark: EDGAR_USER_AGENT is not set: .*\n$/);
  },
);
