import { afterAll, beforeAll, expect, test } from 'vitest';
import { opened } from '../opened.ts';
import { type Flow, openFlow } from './flow.ts';
import { openFolder } from './folder.ts';
import { APPLE, JUNE, SEPTEMBER } from './peers-quarter.ts';
import { openReader } from './reader.ts';
import { ingestInOrder } from './stages.ts';
import { addSynthetic, nameOf, type SyntheticReport } from './synthetic.ts';

const [PARENT, CHILD, OTHER] = [1, 2, 3];

/** The child's 2,000,000 shares are in the report of its parent from now on. */
const HELD: readonly (readonly [manager: number, june: number, september: number | null])[] = [
  [PARENT, 5_000_000, 7_000_000],
  [CHILD, 2_000_000, null],
  [OTHER, 300_000, 290_000],
];

const folder = opened(() => openFolder({ accessions: [], symbols: ['AAPL'] }));
let flow: Flow;

beforeAll(async () => {
  const accessions = await addSynthetic(folder, HELD.flatMap(reportsOf));
  flow = await openFlow(folder, '2023-11-30');
  await ingestInOrder(flow, { accessions, reference: 'first', settleEvery: 1 });
}, 300_000);
const reader = opened(() => openReader(flow));

afterAll(async () => {
  await flow?.close();
});

function reportsOf([manager, june, september]: (typeof HELD)[number]): SyntheticReport[] {
  const report = (quarterEnd: string, filed: string, shares: number): SyntheticReport => ({
    ...{ manager, quarterEnd, filed },
    rows: [{ issuer: 'APPLE INC', cusip: APPLE, shares, value: shares * 100 }],
    ...(manager === PARENT && quarterEnd === SEPTEMBER ? { includes: CHILD } : {}),
  });
  const before = report(JUNE, '2023-08-14', june);
  return september === null ? [before] : [before, report(SEPTEMBER, '2023-11-14', september)];
}

test('a subsidiary whose holdings its parent reports now has not left, and the parent bought nothing (rule 4.11)', async () => {
  const { body } = await reader.get('/stocks/AAPL/capital-change-brief');
  const { institutional, quality_artifacts: artifacts, coverage } = body.data;
  expect(institutional).toMatchObject({
    stance: 'not_determined',
    counts: { added: 1, reduced: 1, exited: 0 },
  });
  const group = artifacts.groups.find(({ reason }: { reason: string }) => reason === 'moved_between_reports');
  expect(group.examples[0].detail).toContain(
    `Positions moved between the reports of ${nameOf(PARENT)} and ${nameOf(CHILD)}.`,
  );
  expect(coverage.limitations).toContain(
    `1 change is uncertain because shares may have moved between the reports of ${nameOf(PARENT)} and ${nameOf(CHILD)}.`,
  );
});
