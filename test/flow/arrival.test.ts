import { beforeAll, describe, expect, test } from 'vitest';
import { briefsIn } from '../../src/store/publish/briefs.ts';
import { opened } from '../opened.ts';
import { openFlow, runPipeline } from './flow.ts';
import { type Shown, shownIn, streamOf } from './shown.ts';
import { AS_OF, FORM4, ORDER, openSmallCorpus } from './small-corpus.ts';
import { type Arrival, ingestInOrder } from './stages.ts';

const folder = opened(openSmallCorpus);
const flow = opened(() => openFlow(folder, AS_OF));
let once: Shown;

beforeAll(async () => {
  await runPipeline(flow);
  once = await shownIn(flow.db);
}, 300_000);

type Arrived = { readonly shown: Shown; readonly stream: [number, string][]; readonly briefs: number };

/** What is shown, and the stream, after another arrival of the same filings in a world of its own. */
async function arrived(arrival: Arrival): Promise<Arrived> {
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

const IN_ORDER: Arrival = { accessions: ORDER, reference: 'first', settleEvery: 4 };
let inOrder: Promise<Arrived> | undefined;

/** Ingested once: the arrival that others are compared with. */
function arrivedInOrder(): Promise<Arrived> {
  inOrder ??= arrived(IN_ORDER);
  return inOrder;
}

describe('any order of arrival gives equal brief ids and equal holdings', () => {
  test('workers over queues show every ticker that the filings and the reference files name', () => {
    expect(Object.keys(once.briefs)).toEqual(
      expect.arrayContaining(['AAPL', 'FB', 'GM', 'JPM', 'TSLA', 'TWTR']),
    );
    expect(Object.keys(once.reports)).toHaveLength(5);
  });

  const isAsOnce = async (arrive: Promise<Arrived>): Promise<void> => {
    const { shown } = await arrive;
    expect(shown.briefs).toEqual(once.briefs);
    expect(shown).toEqual(once);
  };

  test('backwards, amendments before what they amend', { timeout: 180_000 }, () =>
    isAsOnce(arrived({ accessions: ORDER.toReversed(), reference: 'first', settleEvery: 100 })),
  );

  test('backwards, computed after every fourth', { tags: ['long'], timeout: 180_000 }, () =>
    isAsOnce(arrived({ accessions: ORDER.toReversed(), reference: 'first', settleEvery: 4 })),
  );

  test('in the order of filing', { tags: ['long'], timeout: 180_000 }, () => isAsOnce(arrivedInOrder()));

  test('backwards, computed after every filing', { tags: ['long'], timeout: 180_000 }, () =>
    isAsOnce(arrived({ accessions: ORDER.toReversed(), reference: 'first', settleEvery: 1 })),
  );

  test('backwards, tickers last', { tags: ['long'], timeout: 180_000 }, () =>
    isAsOnce(arrived({ accessions: ORDER.toReversed(), reference: 'last', settleEvery: 4 })),
  );

  test('every third, all computed at the end', { tags: ['long'], timeout: 180_000 }, () => {
    const accessions = [0, 1, 2].flatMap((k) => ORDER.filter((_, n) => n % 3 === k));
    return isAsOnce(arrived({ accessions, reference: 'last', settleEvery: 100 }));
  });
});

describe('jobs that are delivered more than once', () => {
  test('side by side: no event, no brief and no byte more than from one delivery', {
    tags: ['long'],
    timeout: 180_000,
  }, async () => {
    const double = await arrived({ ...IN_ORDER, deliveries: 2 });
    const single = await arrivedInOrder();
    expect(double.shown).toEqual(once);
    expect(double.stream).toEqual(single.stream);
    expect(double.briefs).toBe(single.briefs);
  });

  test('one after another: a second run of the whole pipeline changes nothing', async () => {
    const [stream, briefs] = [await streamOf(flow.db), await briefsIn(flow.db).countDocuments()];
    expect(stream.map(([, accession]) => accession).sort()).toEqual([...FORM4].sort());
    await runPipeline(flow);
    expect(await streamOf(flow.db)).toEqual(stream);
    expect(await briefsIn(flow.db).countDocuments()).toBe(briefs);
    expect(await shownIn(flow.db)).toEqual(once);
  }, 180_000);
});
