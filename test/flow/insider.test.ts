import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { JOBS } from '../../jobs/index.ts';
import { filingBody } from '../../src/api/endpoints/filing-shape.ts';
import { insiderTransactions } from '../../src/api/endpoints/insider-transactions.ts';
import { turnAsOf } from '../../src/derive/corpus/as-of.ts';
import { pipelineStatus } from '../../src/derive/corpus/status.ts';
import type { Cik, IsoDate } from '../../src/domain/ids.ts';
import { invalidate } from '../../src/store/invalidation/invalidate.ts';
import { listPending } from '../../src/store/invalidation/invalidation.ts';
import { tradesIn } from '../../src/store/trade/trades.ts';
import { opened } from '../opened.ts';
import { type Flow, openFlow, openStages } from './flow.ts';
import { corpusText, openFolder } from './folder.ts';
import { openReader, type Reader } from './reader.ts';
import { ingestInOrder } from './stages.ts';

// Three forms of MBIA's officers on 2020-03-06, each restated by a 4/A on 2020-03-10.
const RESTATED: Record<string, string> = {
  '0000814585-20-000019': '0000814585-20-000027',
  '0000814585-20-000021': '0000814585-20-000025',
  '0000814585-20-000022': '0000814585-20-000026',
};
const MUSK = ['0001494730-18-000005', '0001494727-18-000003'];
const THIEL = '0001127602-18-024167';
const HEAT = ['0001553350-20-000001', '0001553350-20-000007'];
const ACCESSIONS = [...Object.entries(RESTATED).flat(), ...MUSK, THIEL, ...HEAT];
const MBIA = '0000814585' as Cik;
const AS_OF = '2020-03-31';

const folder = opened(() => openFolder({ accessions: ACCESSIONS, symbols: ['TSLA', 'FB', 'MBI', 'HTBX'] }));
let flow: Flow;
const flows: Flow[] = [];

async function ingested(
  accessions: readonly string[],
  deliveries: number,
  settleEvery: number,
): Promise<Flow> {
  const opened = await openFlow(folder, AS_OF);
  flows.push(opened);
  await ingestInOrder(opened, { accessions, reference: 'first', settleEvery, deliveries });
  return opened;
}

beforeAll(async () => {
  flow = await ingested(ACCESSIONS, 1, 100);
}, 300_000);
const reader = opened(() => openReader(flow));

afterAll(async () => {
  for (const one of flows) await one.close();
});

type Item = { transaction_id: string; accession_number: string; filed_at: string; value_usd: number };

async function list(query: string, from: Reader = reader): Promise<{ items: Item[]; text: string }> {
  const { status, body, text } = await from.get(`/insider/transactions?${query}`);
  expect(status).toBe(200);
  expect(insiderTransactions.output.safeParse(body).error).toBeUndefined();
  return { items: body.data.transactions, text };
}

const accessionsOf = (items: readonly Item[]): string[] => [
  ...new Set(items.map((item) => item.accession_number)),
];

/** What a reader can see of the whole list and of every form. */
async function everything(of: Flow): Promise<string[]> {
  const one = await openReader(of);
  try {
    const pages = [await list('code=all&limit=200', one), await list('ticker=TSLA', one)];
    const forms = await Promise.all(ACCESSIONS.map((accession) => one.get(`/filing/${accession}`)));
    return [...pages, ...forms].map(({ text }) => text.replace(/"retrieved_at":"[^"]*"/g, ''));
  } finally {
    await one.close();
  }
}

async function reconcileAll(): Promise<void> {
  const { context, close } = await openStages(flow);
  for (const { key, version } of await listPending(flow.db, 'insider', 100)) {
    await JOBS.insider(context, { cik: key as Cik, version: Number(version) });
  }
  await close();
}

describe('of real forms', () => {
  test('the list has only open-market trades, the newest filed first', async () => {
    const { items } = await list('');
    expect(accessionsOf(items)).toEqual([THIEL, MUSK[0]]);
    expect(accessionsOf((await list('ticker=TSLA&code=all')).items)).toEqual(MUSK.toReversed());
    const filed = items.map((item) => item.filed_at);
    expect(filed).toEqual([...filed].sort().reverse());
    // As the page of the bundled corpus counts them.
    expect((await list('ticker=TSLA&side=buy')).items).toHaveLength(8);
    expect((await list('ticker=FB')).items).toHaveLength(17);
  });

  test('a restated row is listed once, as restated', async () => {
    const { items } = await list('ticker=MBI&code=all');
    expect(accessionsOf(items).sort()).toEqual(Object.values(RESTATED).sort());
  });

  test.each(Object.entries(RESTATED))('%s shows what %s replaced', async (original, amendment) => {
    const { data } = (await reader.get(`/filing/${original}`)).body;
    expect(filingBody.safeParse({ data }).error).toBeUndefined();
    expect(data.superseded_by).toBe(amendment);
    expect(data.non_derivative_transactions).toMatchObject([
      { superseded_by: amendment, quality: { status: 'excluded', reasons: ['superseded_by_amendment'] } },
    ]);
    const sha256 = createHash('sha256').update(Buffer.from(await corpusText(original), 'latin1'));
    expect(data.raw_hash).toBe(`sha256:${sha256.digest('hex')}`);
    const restated = (await reader.get(`/filing/${amendment}`)).body.data;
    expect(restated.superseded_by).toBeNull();
    expect(restated.non_derivative_transactions[0].amendment.amends).toBe(original);
  });
});

describe('the list', () => {
  test('does not depend on the order, the repetition or the interleaving of arrivals', {
    tags: ['long'],
    timeout: 300_000,
  }, async () => {
    const backwards = await ingested([...ACCESSIONS].reverse(), 2, 3);
    expect(await everything(backwards)).toEqual(await everything(flow));
  });

  test('stays as it is when every issuer is reconciled again', async () => {
    const content = () =>
      tradesIn(flow.db)
        .find({}, { projection: { version: 0 } })
        .sort({ _id: 1 })
        .toArray();
    const [before, shown] = [await content(), await everything(flow)];
    await invalidate(flow.db, 'insider', [...new Set(before.map((doc) => doc.issuerCik))]);
    expect(await pipelineStatus(flow.db)).toMatchObject({ pending_issuers: 4, done: false });
    await reconcileAll();
    expect(await pipelineStatus(flow.db)).toMatchObject({ pending_issuers: 0 });
    expect(await content()).toEqual(before);
    expect(await everything(flow)).toEqual(shown);
  });

  test('follows the as-of date: before the amendments the originals are in force', async () => {
    const now = await list('ticker=MBI&code=all');
    await turnAsOf(flow.db, '2020-03-09' as IsoDate, { mayGoBack: true });
    expect((await listPending(flow.db, 'insider', 10)).map((doc) => doc.key)).toEqual([MBIA]);
    await reconcileAll();
    const then = await list('ticker=MBI&code=all');
    expect(accessionsOf(then.items).sort()).toEqual(Object.keys(RESTATED));
    const [original = '', amendment = ''] = Object.entries(RESTATED)[0] ?? [];
    expect((await reader.get(`/filing/${original}`)).body.data.superseded_by).toBeNull();
    expect((await reader.get(`/filing/${amendment}`)).body.error).toBe('filing_not_found');
    await turnAsOf(flow.db, AS_OF as IsoDate, { mayGoBack: true });
    await reconcileAll();
    expect((await list('ticker=MBI&code=all')).text).toBe(now.text);
  });
});
