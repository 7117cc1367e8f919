import { afterEach, beforeEach, expect, test } from 'vitest';
import { findHistory } from '../../jobs/history.ts';
import type { Pipeline } from '../../jobs/worker/open.ts';
import { noteHistory, openNoted } from '../../src/cli/filing-history.ts';
import { requireIsoDate } from '../../src/domain/ids.ts';
import type { EdgarClient } from '../../src/edgar/client/open.ts';
import { EdgarError } from '../../src/edgar/error.ts';
import { filingsIn } from '../../src/store/filing/filings.ts';
import { openFlow, openStages } from '../flow/flow.ts';
import { AS_OF, ORDER, openSmallCorpus } from '../flow/small-corpus.ts';
import { opened } from '../opened.ts';

const DAYS = { from: requireIsoDate('2018-01-01'), to: requireIsoDate(AS_OF) };

const folder = opened(openSmallCorpus, beforeEach);
const flow = opened(() => openFlow(folder, AS_OF), beforeEach);
let pipeline: Pipeline;

beforeEach(async () => {
  pipeline = await openStages(flow);
});
afterEach(async () => {
  await pipeline.close();
});

/** The days on which filings of the corpus were filed, newest first. */
async function filledDays(): Promise<string[]> {
  const days: string[] = [];
  for await (const { day, found } of findHistory(pipeline.context, DAYS, new AbortController().signal))
    if (found.length > 0) days.push(day ?? '');
  return days;
}

/** Notes what was filed on the days, with an EDGAR that does something before it gives an index. */
async function note(beforeIndex: (day: string) => void = () => undefined, stop = new AbortController()) {
  const { edgar } = pipeline.context;
  const fetchDailyIndex: EdgarClient['fetchDailyIndex'] = async (day, known) => {
    beforeIndex(day);
    return edgar.fetchDailyIndex(day, known);
  };
  const run = { context: pipeline.base, edgar: { ...edgar, fetchDailyIndex }, signal: stop.signal };
  const noted = openNoted();
  const failed = await noteHistory(run, DAYS, { noted, isDryRun: false }).then(
    () => null,
    (error: EdgarError) => error.code,
  );
  return { ...noted, failed };
}

const waiting = () => filingsIn(flow.db).countDocuments({ state: 'discovered', lane: 'backfill' });

test('each day is noted before the next is read: after an error a second run goes on', async () => {
  const [newest, second = ''] = await filledDays();
  const broken = await note((day) => {
    if (day <= second) throw new EdgarError('edgar_refused', 'no', { retry: false });
  });
  expect(broken).toMatchObject({ failed: 'edgar_refused', isWhole: false });
  expect(broken.left.length).toBeGreaterThan(0);
  expect(broken.oldestDay && broken.oldestDay > second && broken.oldestDay <= String(newest)).toBe(true);
  expect(await waiting()).toBe(broken.left.length);
  const whole = await note();
  expect(whole).toMatchObject({ failed: null, isWhole: true, stored: 0 });
  // Those of the first run wait already, and all are counted.
  expect(whole.fresh).toBe(ORDER.length - broken.left.length);
  expect(whole.left.toSorted()).toEqual(ORDER.toSorted());
  expect(await waiting()).toBe(ORDER.length);
});

test('a stop ends it between two days, and what it says it noted is noted', async () => {
  const [, second = ''] = await filledDays();
  const stop = new AbortController();
  const stopped = await note((day) => {
    if (day === second) stop.abort();
  }, stop);
  expect(stopped).toMatchObject({ failed: null, isWhole: false });
  expect(stopped.oldestDay && stopped.oldestDay > second).toBe(true);
  expect(await waiting()).toBe(stopped.left.length);
});

test('a dry run counts the same and notes nothing', async () => {
  const noted = openNoted();
  const run = { ...pipeline.context, context: pipeline.base, signal: new AbortController().signal };
  await noteHistory(run, DAYS, { noted, isDryRun: true });
  expect(noted).toMatchObject({ fresh: ORDER.length, isWhole: true });
  expect(await waiting()).toBe(0);
});
