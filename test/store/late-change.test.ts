import { expect, it } from 'vitest';
import { changesBetween } from '../../src/derive/peers/changes.ts';
import { invalidatePeersFollowers } from '../../src/derive/peers/peers-followers.ts';
import { diffReports } from '../../src/domain/change/diff.ts';
import { sampleFiling, sampleRow, sampleRows } from '../../src/domain/filing/filing.sample.ts';
import type { Cik, Cusip, QuarterEnd } from '../../src/domain/ids.ts';
import type { CusipChange } from '../../src/domain/peers/verdict.ts';
import { foldReport } from '../../src/domain/report/fold.ts';
import { earlierChanges, peerVerdictsIn } from '../../src/store/peers/corporate-actions.ts';
import { opened } from '../opened.ts';
import { saveReport } from '../save-report.ts';
import { openWorld } from '../world.ts';
import { peersDoc } from './peers-doc.ts';

const [OLD, NEW] = ['00165C104', '00165C302'] as [Cusip, Cusip];
const CHANGED = '2023-09-30' as QuarterEnd;
const LATE = '2026-06-30' as QuarterEnd;
const AFTER = '2026-12-31' as QuarterEnd;
const change: CusipChange = {
  kind: 'cusip_change',
  cusip: NEW,
  from: OLD,
  factor: { numerator: 1n, denominator: 10n },
  votes: 37,
  compared: 41,
};

const world = opened(openWorld);

async function show(number: number, cusip: Cusip, quarterEnd: QuarterEnd): Promise<string> {
  const cik = String(number).padStart(10, '0') as Cik;
  const rows = [...sampleRows(6, number), sampleRow({ cusip })];
  const report = foldReport([sampleFiling({ cik, quarterEnd, filedDate: '2027-02-14', rows })]);
  if (report === null) throw new Error('no report');
  await saveReport(world.mongo.db, diffReports(report, null), 1);
  return `${cik}|${quarterEnd}`;
}

it('a CUSIP change reaches a manager that names the old one eleven quarters later, and not after thirteen (rule 5.3)', async () => {
  const { db } = world.mongo;
  const late = await show(1, OLD, LATE);
  await show(2, NEW, LATE);
  await show(3, OLD, AFTER);
  const nothing = { corporateActions: [], verdicts: new Map() };
  const changed = changesBetween(nothing, { corporateActions: [change], verdicts: new Map() });
  expect((await invalidatePeersFollowers(db, CHANGED, changed)).reports).toEqual([late]);
});

it('a change of CUSIP counts for twelve quarters after its own, in the version last said (rule 5.3)', async () => {
  const { db } = world.mongo;
  const say = (digest: string, corporateActions: CusipChange[]) =>
    peerVerdictsIn(db).replaceOne({ _id: CHANGED }, peersDoc(CHANGED, corporateActions, digest), {
      upsert: true,
    });
  await say('one', [change]);
  for (const _ of [1, 2]) {
    expect(await earlierChanges(db, '2023-12-31' as QuarterEnd)).toEqual([change]);
    expect(await earlierChanges(db, '2026-09-30' as QuarterEnd)).toEqual([change]);
    expect(await earlierChanges(db, CHANGED)).toEqual([]);
    expect(await earlierChanges(db, AFTER)).toEqual([]);
  }
  await say('two', []);
  expect(await earlierChanges(db, LATE)).toEqual([]);
});
