import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { JOBS } from '../../jobs/index.ts';
import type { JobContext } from '../../jobs/worker/context.ts';
import { turnAsOf } from '../../src/derive/corpus/as-of.ts';
import { pipelineStatus } from '../../src/derive/corpus/status.ts';
import { packChanged } from '../../src/derive/peers/changes.ts';
import type { IsoDate, QuarterEnd } from '../../src/domain/ids.ts';
import {
  countPending,
  invalidate,
  invalidationsIn,
  listPending,
} from '../../src/store/invalidation/invalidations.ts';
import { peerVerdictsIn } from '../../src/store/peers/corporate-actions.ts';
import { reportsIn } from '../../src/store/report/reports.ts';
import { type Flow, openFlow, openStages, runPipeline } from './flow.ts';
import { type Folder, openFolder } from './folder.ts';
import { APPLE, addQuarters, IN_THOUSANDS, JUNE, SEPTEMBER, SYMBOLS } from './peers-quarter.ts';
import { type Shown, shownIn } from './shown.ts';
import { type Arrival, ingestInOrder, settleReports } from './stages.ts';
import { cikOf } from './synthetic.ts';

const AS_OF = '2023-11-30';
/** After managers 1 to 4 filed and before 5 to 8 did: four voters are too few. */
const BETWEEN = '2023-11-05';

let folder: Folder;
let flow: Flow;
let once: Shown;
let order: string[];

beforeAll(async () => {
  folder = await openFolder({ accessions: [], symbols: SYMBOLS });
  order = await addQuarters(folder);
  flow = await openFlow(folder, AS_OF);
  await runPipeline(flow);
  once = await shownIn(flow.db);
}, 300_000);

afterAll(async () => {
  await flow?.close();
  await folder?.remove();
});

async function inWorld<T>(asOf: string, use: (other: Flow) => Promise<T>): Promise<T> {
  const other = await openFlow(folder, asOf);
  try {
    return await use(other);
  } finally {
    await other.close();
  }
}

async function staged<T>(of: Flow, use: (context: JobContext) => Promise<T>): Promise<T> {
  const pipeline = await openStages(of);
  try {
    return await use(pipeline.context);
  } finally {
    await pipeline.close();
  }
}

/** The versions of the reports as filed, and those of what is shown of them. */
async function versionsIn({ db }: Flow): Promise<{ filed: string[]; shown: string[] }> {
  const reports = await reportsIn(db).find().sort({ _id: 1 }).toArray();
  return { filed: reports.map((one) => one.filed.digest), shown: reports.map((one) => one.digest) };
}

describe('what the filers say together', () => {
  test('is a split, a new CUSIP, a split that is none, a unit and a slip', () => {
    expect(Object.keys(once.peers)).toEqual([SEPTEMBER]);
    expect(once.peers[SEPTEMBER]?.corporateActions.map(({ kind }) => kind)).toEqual([
      'cusip_change',
      'split',
      // The half that manager 5 sold looks like a reverse split, and seven others stood still.
      'refuted',
    ]);
    expect(Object.keys(once.peers[SEPTEMBER]?.verdicts ?? {})).toEqual(['0009000007', '0009000008']);
  });

  test.each<[string, (accessions: string[]) => Arrival]>([
    ['in the order of filing', (accessions) => ({ accessions, reference: 'first', settleEvery: 3 })],
    [
      'backwards, every job delivered twice',
      (accessions) => ({
        accessions: accessions.toReversed(),
        reference: 'last',
        settleEvery: 5,
        deliveries: 2,
      }),
    ],
    [
      'the quarters interleaved, all computed at the end',
      (accessions) => ({
        accessions: accessions.slice(0, 8).flatMap((one, n) => [accessions[n + 8] ?? '', one]),
        reference: 'last',
        settleEvery: 100,
      }),
    ],
  ])(
    'does not depend on how the filings came: %s',
    async (_, arrival) => {
      const shown = await inWorld(AS_OF, async (other) => {
        await ingestInOrder(other, arrival(order));
        return shownIn(other.db);
      });
      expect(shown.peers).toEqual(once.peers);
      expect(shown.briefs).toEqual(once.briefs);
      expect(shown).toEqual(once);
    },
    180_000,
  );
});

describe('the rounds of reports and peers', () => {
  test('end, because no answer changes what is asked: a second look writes and marks nothing', async () => {
    const before = await peerVerdictsIn(flow.db).find().sort({ _id: 1 }).toArray();
    await invalidate(flow.db, 'peers', [JUNE, SEPTEMBER]);
    expect((await pipelineStatus(flow.db)).done).toBe(false);
    await staged(flow, async (context) => {
      for (const { key, version } of await listPending(flow.db, 'peers', 10)) {
        await JOBS.peers(context, { quarterEnd: key as QuarterEnd, version: Number(version) });
      }
    });
    expect(await countPending(flow.db, 'report')).toBe(0);
    expect(await peerVerdictsIn(flow.db).find().sort({ _id: 1 }).toArray()).toEqual(before);
    expect((await pipelineStatus(flow.db)).done).toBe(true);
  }, 60_000);

  test('change what is shown of a report and nothing of it as filed', async () => {
    const settled = await versionsIn(flow);
    await inWorld(AS_OF, async (other) => {
      await ingestInOrder(other, { accessions: order, reference: 'first', settleEvery: 100, asFiled: true });
      const asFiled = await versionsIn(other);
      expect(asFiled.filed).toEqual(settled.filed);
      expect(asFiled.shown).not.toEqual(settled.shown);
    });
  }, 60_000);
});

describe('a crash', () => {
  const rounds = (context: JobContext) => settleReports(context, (job, payload) => job(context, payload));

  test('before what follows was marked repeats the marks', async () => {
    const { db } = flow;
    const reportOf = `000${cikOf(1)}|${SEPTEMBER}`;
    // The content was switched; the marks and the digest of the inputs were not written.
    const pendingChanges = packChanged({
      ciks: [`000${cikOf(IN_THOUSANDS)}` as never],
      cusips: [APPLE as never],
      moved: [[APPLE as never, 'holders']],
    });
    await peerVerdictsIn(db).updateOne(
      { _id: SEPTEMBER as QuarterEnd },
      { $set: { inputsDigest: '', pendingChanges } },
    );
    await invalidate(db, 'peers', [SEPTEMBER]);
    await invalidationsIn(db).updateMany({ kind: 'report' }, { $set: { pending: false } });
    await staged(flow, async (context) => {
      const [mark] = await listPending(db, 'peers', 10);
      await JOBS.peers(context, {
        quarterEnd: SEPTEMBER as QuarterEnd,
        version: Number(mark?.version),
      });
      const marked = (await listPending(db, 'report', 100)).map(({ key }) => key);
      expect(marked).toHaveLength(8);
      expect(marked).toContain(reportOf);
      await rounds(context);
    });
    await runPipeline(flow);
    expect(await shownIn(db)).toEqual(once);
  }, 300_000);

  test('after the marks and before the digest of the inputs costs a computation and changes nothing', async () => {
    const { db } = flow;
    await peerVerdictsIn(db).updateMany({}, { $set: { inputsDigest: '' } });
    await invalidate(db, 'peers', [JUNE, SEPTEMBER]);
    await runPipeline(flow);
    expect(await shownIn(db)).toEqual(once);
    const docs = await peerVerdictsIn(db).find().toArray();
    expect(
      docs.every(({ inputsDigest, pendingChanges }) => inputsDigest !== '' && pendingChanges === null),
    ).toBe(true);
  }, 300_000);
});

test('reports that are withdrawn take their votes with them', async () => {
  const fresh = await inWorld(BETWEEN, async (other) => {
    await runPipeline(other);
    return shownIn(other.db);
  });
  expect(fresh.peers[SEPTEMBER]?.corporateActions.map(({ kind }) => kind)).not.toContain('split');
  await inWorld(AS_OF, async (other) => {
    await ingestInOrder(other, { accessions: order, reference: 'first', settleEvery: 100 });
    await turnAsOf(other.db, BETWEEN as IsoDate);
    await runPipeline(other, { asOf: BETWEEN });
    const shown = await shownIn(other.db);
    expect(shown.peers).toEqual(fresh.peers);
    expect(shown.reports).toEqual(fresh.reports);
    expect(shown.briefs).toEqual(fresh.briefs);
    expect(shown.leaderboard).toEqual(fresh.leaderboard);
  });
}, 180_000);
