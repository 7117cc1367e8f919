// @module-tag long

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { reportsIn } from '../../src/store/report/reports.ts';
import { opened } from '../opened.ts';
import { type Flow, openFlow, runPipeline } from './flow.ts';
import { openFolder } from './folder.ts';
import { addQuarters, SEPTEMBER, SYMBOLS } from './peers-quarter.ts';
import { type Shown, shownIn } from './shown.ts';
import { ingestInOrder, settleFlow } from './stages.ts';

const AS_OF = '2023-11-30';
/** After managers 1 to 4 filed and before 5 to 8 did: four voters are too few. */
const BETWEEN = '2023-11-05';

const folder = opened(() => openFolder({ accessions: [], symbols: SYMBOLS }));
let order: string[];
const flows: Flow[] = [];
/** By workers over queues: what was filed until BETWEEN, and then the rest. */
let early: Shown;
let once: Shown;

beforeAll(async () => {
  order = await addQuarters(folder);
  const flow = await openWorld();
  await runPipeline(flow, { asOf: BETWEEN });
  early = await shownIn(flow.db);
  await runPipeline(flow);
  once = await shownIn(flow.db);
}, 300_000);

afterAll(async () => {
  for (const flow of flows) await flow.close();
});

async function openWorld(): Promise<Flow> {
  const flow = await openFlow(folder, AS_OF);
  flows.push(flow);
  return flow;
}

/** The digests of the reports as filed and as shown. */
async function versionsIn({ db }: Flow): Promise<{ filed: string[]; shown: string[] }> {
  const reports = await reportsIn(db).find().sort({ _id: 1 }).toArray();
  return { filed: reports.map((one) => one.filed.digest), shown: reports.map((one) => one.digest) };
}

test('the answers of the peers do not depend on the order of arrival: backwards, every job delivered twice', async () => {
  const flow = await openWorld();
  const accessions = order.toReversed();
  await ingestInOrder(flow, { accessions, reference: 'last', settleEvery: 8, deliveries: 2 });
  const shown = await shownIn(flow.db);
  expect(shown.peers).toEqual(once.peers);
  expect(shown.briefs).toEqual(once.briefs);
  expect(shown).toEqual(once);
}, 180_000);

describe('the quarters interleaved, all computed at the end', () => {
  type Versions = Awaited<ReturnType<typeof versionsIn>>;
  let asFiled: Versions;
  let settled: Versions;
  let shown: Shown;
  let withdrawn: Shown;

  beforeAll(async () => {
    const flow = await openWorld();
    const accessions = order.slice(0, 8).flatMap((one, n) => [order[n + 8] ?? '', one]);
    await ingestInOrder(flow, { accessions, reference: 'last', settleEvery: 100, asFiled: true });
    asFiled = await versionsIn(flow);
    await settleFlow(flow);
    [settled, shown] = [await versionsIn(flow), await shownIn(flow.db)];
    await runPipeline(flow, { asOf: BETWEEN });
    withdrawn = await shownIn(flow.db);
  }, 180_000);

  test('the answers of the peers do not depend on the order of arrival', () => {
    expect(shown.peers).toEqual(once.peers);
    expect(shown.briefs).toEqual(once.briefs);
    expect(shown).toEqual(once);
  });

  test('the peers change a report as shown and not as filed', () => {
    expect(asFiled.filed).toEqual(settled.filed);
    expect(asFiled.shown).not.toEqual(settled.shown);
  });

  test('reports that are withdrawn take their votes with them', () => {
    expect(once.peers[SEPTEMBER]?.corporateActions.map(({ kind }) => kind)).toContain('split');
    expect(early.peers[SEPTEMBER]?.corporateActions.map(({ compared }) => compared)).toEqual([4, 4]);
    expect(withdrawn.peers).toEqual(early.peers);
    expect(withdrawn.reports).toEqual(early.reports);
    expect(withdrawn.briefs).toEqual(early.briefs);
    expect(withdrawn.leaderboard).toEqual(early.leaderboard);
  });
});
