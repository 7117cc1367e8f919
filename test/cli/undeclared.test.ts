import { expect, it } from 'vitest';
import { opened } from '../opened.ts';
import { openWorld } from '../world.ts';
import { runProcess } from './tidemark.ts';

const world = opened(() => openWorld({ EDGAR_URL: 'https://www.sec.gov', EDGAR_USER_AGENT: '' }));

const SAYS = 'without EDGAR_USER_AGENT a backfill says so in one line and ends with exit code 1: %s';

it.each([['filings', '--cik', '320193']])(SAYS, expectRefused);
it.each([['13f', '--from', '2013q2']])(SAYS, { tags: ['long'] }, expectRefused);

async function expectRefused(...what: string[]): Promise<void> {
  const run = await runProcess(world, 'backfill', ...what);
  expect(run.code).toBe(1);
  expect(run.stderr).toMatch(/^tidemark: EDGAR_USER_AGENT is not set: .*\n$/);
}
