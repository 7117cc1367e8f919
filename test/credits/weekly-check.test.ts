import { expect, test } from 'vitest';
import { upkeep } from '../../jobs/upkeep.ts';
import type { JobContext } from '../../jobs/worker/context.ts';
import { checkLedger } from '../../src/credits/ledger/check.ts';
import { drainLog } from '../../src/credits/ledger/drain.ts';
import { creditProblems, creditsStatus } from '../../src/credits/ledger/status.ts';
import { createLogger } from '../../src/log.ts';
import { ledgerIn } from '../../src/store/account/ledger.ts';
import { lastLedgerCheck } from '../../src/store/account/ledger-checks.ts';
import { account, call, store, useWalletWorld, wallet } from './use-wallet-world.ts';

useWalletWorld();

const HOUR_MS = 3_600_000;
const STARTED = Date.now();

/** The job as it runs so many hours after the start. Returns the rows that it read, and what the status says then. */
async function checkedAfter(hours: number) {
  const credits = { ...store(), now: () => new Date(STARTED + hours * HOUR_MS) };
  const context: Partial<JobContext> = { credits, log: createLogger('silent', 'test') };
  await upkeep(context as JobContext, { slot: 0, kind: 'ledger' });
  const status = await creditsStatus(store());
  const { credits_check: hourly, credits_whole_check: whole, credits_whole_checked_at: wholeAt } = status;
  const rows = (await lastLedgerCheck(store().db))?.rows;
  return { rows, hourly, whole, wholeAt, problems: creditProblems(status) };
}

const at = (hours: number) => new Date(STARTED + hours * HOUR_MS).toISOString();
const change = (_id: string, delta: number) => ledgerIn(store().db).updateOne({ _id }, { $set: { delta } });

test('every row is read once a week: one that changed behind its check is found, and again each hour', async () => {
  expect(await creditsStatus(store())).toMatchObject({
    credits_whole_checked_at: null,
    credits_whole_check: null,
  });
  const who = await account(100);
  for (let n = 0; n < 3; n += 1) await wallet.charge(who, call(10));
  await drainLog(store());
  // As a release before did it: up to the last row, and no check of everything was noted.
  await checkLedger(store(), { whole: false });
  expect(await checkedAfter(0)).toEqual({
    ...{ rows: 4, hourly: 'clean', whole: 'clean', wholeAt: at(0), problems: [] },
  });

  const changed = `${who.orgId}|000001|000000000002`;
  await change(changed, -9);
  for (const hours of [1, 7 * 24 - 1]) {
    expect(await checkedAfter(hours)).toMatchObject({ rows: 0, hourly: 'clean', wholeAt: at(0) });
  }
  const week = await checkedAfter(7 * 24);
  expect(week).toMatchObject({ rows: 4, hourly: '1 problems', whole: '1 problems', wholeAt: at(7 * 24) });
  expect(week.problems).toEqual([
    'the last check of the credits found 1 problems',
    'the last check of all credits found 1 problems',
  ]);
  expect(await checkedAfter(7 * 24 + 1)).toMatchObject({ rows: 4, hourly: '1 problems' });

  await change(changed, -10);
  expect(await checkedAfter(7 * 24 + 2)).toMatchObject({ rows: 4, hourly: 'clean', whole: '1 problems' });
  await checkLedger({ ...store(), now: () => new Date(at(7 * 24 + 3)) }, { whole: true });
  expect(await checkedAfter(7 * 24 + 4)).toMatchObject({ whole: 'clean', wholeAt: at(7 * 24 + 3) });
});
