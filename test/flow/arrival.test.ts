import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { briefsIn } from '../../src/store/publish/briefs.ts';
import { type Flow, openFlow, runPipeline } from './flow.ts';
import { type Folder, openFolder } from './folder.ts';
import { ADDED, AUTUMN, addedAutumn, RESTATED, restatedSummer, SPRING, SUMMER } from './greenlight.ts';
import { type Shown, shownIn, streamOf } from './shown.ts';
import { type Arrival, ingestInOrder } from './stages.ts';

const BERKSHIRE = ['0000950123-18-008866', '0000950123-18-011885'];
const FORM4 = ['0001494730-18-000005', '0001494727-18-000003', '0001127602-18-024167'];
const ORDER = [SPRING, SUMMER, RESTATED, AUTUMN, ADDED, ...BERKSHIRE, ...FORM4];
const AS_OF = '2018-11-30';

let folder: Folder;
let flow: Flow;
let once: Shown;

beforeAll(async () => {
  folder = await openFolder({
    accessions: ORDER.filter((accession) => accession !== RESTATED && accession !== ADDED),
    symbols: ['AAPL', 'GM', 'TSLA', 'FB', 'JPM', 'TWTR', 'BRKB'],
  });
  await folder.add(`${RESTATED}.txt`, await restatedSummer());
  await folder.add(`${ADDED}.txt`, await addedAutumn());
  flow = await openFlow(folder, AS_OF);
  await runPipeline(flow);
  once = await shownIn(flow.db);
}, 300_000);

afterAll(async () => {
  await flow?.close();
  await folder?.remove();
});

/** What is shown, and the stream, after another arrival of the same filings in a world of its own. */
async function arrived(
  arrival: Arrival,
): Promise<{ shown: Shown; stream: [number, string][]; briefs: number }> {
  const other = await openFlow(folder, AS_OF);
  try {
    await ingestInOrder(other, arrival);
    return {
      shown: await shownIn(other.db),
      stream: await streamOf(other.db),
      briefs: await briefsIn(other.db).countDocuments(),
    };
  } finally {
    await other.close();
  }
}

describe('any order of arrival gives equal brief ids and equal holdings', () => {
  test('workers over queues show every ticker that the filings and the reference files name', () => {
    expect(Object.keys(once.briefs)).toEqual(
      expect.arrayContaining(['AAPL', 'FB', 'GM', 'JPM', 'TSLA', 'TWTR']),
    );
    expect(Object.keys(once.reports)).toHaveLength(5);
  });

  test.each<[string, Arrival]>([
    ['in the order of filing', { accessions: ORDER, reference: 'first', settleEvery: 1 }],
    [
      'backwards, amendments before what they amend',
      { accessions: ORDER.toReversed(), reference: 'first', settleEvery: 1 },
    ],
    ['backwards, tickers last', { accessions: ORDER.toReversed(), reference: 'last', settleEvery: 2 }],
    [
      'every third, all computed at the end',
      {
        accessions: [0, 1, 2].flatMap((k) => ORDER.filter((_, n) => n % 3 === k)),
        reference: 'last',
        settleEvery: 100,
      },
    ],
  ])(
    '%s',
    async (_, arrival) => {
      const { shown } = await arrived(arrival);
      expect(shown.briefs).toEqual(once.briefs);
      expect(shown).toEqual(once);
    },
    180_000,
  );
});

describe('jobs that are delivered more than once', () => {
  test('side by side: no event, no brief and no byte more than from one delivery', async () => {
    const order: Arrival = { accessions: ORDER, reference: 'first', settleEvery: 4 };
    const single = await arrived(order);
    const double = await arrived({ ...order, deliveries: 2 });
    expect(double.shown).toEqual(once);
    expect(double.stream).toEqual(single.stream);
    expect(double.briefs).toBe(single.briefs);
  }, 180_000);

  test('one after another: a second run of the whole pipeline changes nothing', async () => {
    const [stream, briefs] = [await streamOf(flow.db), await briefsIn(flow.db).countDocuments()];
    expect(stream.map(([, accession]) => accession).sort()).toEqual([...FORM4].sort());
    await runPipeline(flow);
    expect(await streamOf(flow.db)).toEqual(stream);
    expect(await briefsIn(flow.db).countDocuments()).toBe(briefs);
    expect(await shownIn(flow.db)).toEqual(once);
  }, 180_000);
});
