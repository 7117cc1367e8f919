import type { Db } from 'mongodb';
import { expect, test } from 'vitest';
import { refreshFunds } from '../../src/derive/report/fund-writer.ts';
import { diffReports } from '../../src/domain/change/diff.ts';
import { APPLE, sampleFiling } from '../../src/domain/filing/filing.sample.ts';
import type { InfoTableRow } from '../../src/domain/filing/filing.ts';
import type { QuarterEnd } from '../../src/domain/ids.ts';
import { foldReport } from '../../src/domain/report/fold.ts';
import { observationsOf } from '../../src/read/holders/observations.ts';
import { fundsIn } from '../../src/store/report/funds.ts';
import { apple, cik, EARLIER, google, LATEST, PRIOR, STATE, show } from '../api/stock-corpus.ts';
import { opened } from '../opened.ts';
import { saveReport } from '../save-report.ts';
import { openWorld } from '../world.ts';
import { interruptedDb } from './interrupted.ts';

const OPEN = { ...STATE, filingWindow: 'open' } as const;

const world = opened(openWorld);

function reportOf(n: number, quarterEnd: QuarterEnd, rows: readonly InfoTableRow[]) {
  const managerName = `Manager ${n}`;
  const report = foldReport([sampleFiling({ cik: cik(n), managerName, quarterEnd, rows })]);
  if (report === null) throw new Error('one filing folds to a report');
  return report;
}

const HELD = [apple(1_000n, 200n)];
const HOLDS_MORE = [apple(3_000n, 600n)];

type Arrival = {
  readonly n: number;
  /** Of the quarters before. */
  readonly before: Readonly<Record<string, readonly InfoTableRow[]>>;
  readonly latest: readonly InfoTableRow[];
};

/** The two writes of a late manager's report of the latest quarter. */
function report(db: Db, { n, before, latest }: Arrival) {
  const [late, prior] = [reportOf(n, LATEST, latest), reportOf(n, PRIOR, before[PRIOR] ?? [])];
  return [() => saveReport(db, diffReports(late, prior), 1), () => refreshFunds(db, [cik(n)])];
}

/**
 * How a manager is counted that reports while its security is read: each of its writes is done ahead of
 * the command of this number, or after the read.
 */
async function countedWith(arrival: Arrival, at: readonly number[]) {
  const { db } = world.mongo;
  const { n } = arrival;
  await show(db, n, arrival.before);
  const writes = report(db, arrival);
  let command = 0;
  let written = 0;
  const before = async () => {
    const due = at.filter((number) => number === command).length;
    command += 1;
    for (let one = 0; one < due; one += 1, written += 1) await writes[written]?.();
  };
  const { counted, late } = await observationsOf(interruptedDb(db, { before }), APPLE, { state: OPEN });
  const own = counted.filter((observation) => observation.cik === cik(n));
  for (; written < writes.length; written += 1) await writes[written]?.();
  return { command, shares: own.map(({ currentShares }) => currentShares), late };
}

const holdsMore = (n: number): Arrival => ({ n, before: { [PRIOR]: HELD }, latest: HOLDS_MORE });

test('a late manager that reports while its security is read is counted once, at every moment (rule 7.1)', async () => {
  const { command: commands } = await countedWith(holdsMore(1), []);
  expect(commands).toBeGreaterThan(3);
  const counted: [bigint | null | undefined, number][] = [];
  let n = 2;
  for (let first = 0; first < commands; first += 1) {
    for (const second of [first, first + 1, commands]) {
      const { shares, late } = await countedWith(holdsMore(n), [first, second]);
      expect(shares, `${first}, ${second}`).toHaveLength(1);
      counted.push([shares[0], late.length]);
      n += 1;
    }
  }
  // By its late report or by the one before, never by both, and behind only where it counts by the older one.
  expect(new Set(counted.map(String))).toEqual(new Set(['3000,0', '1000,1']));
});

test('a sale of the quarter before is not counted once that the next report is stored (rule 7.1)', async () => {
  const sold = (n: number): Arrival => ({
    n,
    before: { [EARLIER]: [apple(1_000n, 200n), google()], [PRIOR]: [google()] },
    latest: [google()],
  });
  expect((await countedWith(sold(700), [])).shares).toEqual([0n]);
  // Its report is stored, and what it holds is not noted yet.
  expect((await countedWith(sold(701), [0])).shares).toEqual([]);
});

test('what a manager holds is not noted from a report that lacks rows', async () => {
  const { db } = world.mongo;
  await show(db, 900, { [PRIOR]: HELD });
  const noted = () => db.collection<{ _id: string }>('last_held').findOne({ _id: cik(900) });
  const before = await noted();
  const late = reportOf(900, LATEST, [google()]);
  await saveReport(db, diffReports(late, reportOf(900, PRIOR, HELD)), 1);
  await db
    .collection<{ _id: string }>('holdings')
    .deleteMany({ _id: new RegExp(`^${cik(900)}\\|${LATEST}`) });
  await expect(refreshFunds(db, [cik(900)])).rejects.toMatchObject({ code: 'report_in_motion', retry: true });
  expect(await noted()).toEqual(before);
  expect(await fundsIn(db).findOne({ _id: cik(900) })).toMatchObject({ latestQuarterEnd: PRIOR });
});
