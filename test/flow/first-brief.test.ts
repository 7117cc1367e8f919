import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWorkers } from '../../jobs/worker/run.ts';
import { firstBrief } from '../../scripts/demo/first-brief.ts';
import { createKey } from '../../src/credits/account/key-life.ts';
import type { Ticker } from '../../src/domain/ids.ts';
import { largestPosition } from '../../src/read/brief/most-observed.ts';
import { type RunningApi, startApi } from '../../src/serve.ts';
import { readBrief } from '../../src/store/publish/current-briefs.ts';
import { opened } from '../opened.ts';
import { dispatchToEnd, openFlow, openStages } from './flow.ts';
import { openFolder } from './folder.ts';
import { AUTUMN as GREENLIGHT_AUTUMN } from './greenlight.ts';

const folder = opened(() =>
  openFolder({
    accessions: [
      '0000950123-18-008866', // Berkshire 2018-06-30
      '0000950123-18-011885', // 2018-09-30
      GREENLIGHT_AUTUMN,
      '0001494730-18-000005', // Form 4 of Tesla
    ],
    symbols: ['AAPL', 'GM', 'TSLA'],
  }),
);
const flow = opened(() => openFlow(folder, '2018-11-30'));
let api: RunningApi;

beforeAll(async () => {
  api = await startApi({ ...flow.world.context, db: flow.db });
}, 300_000);

afterAll(async () => {
  await api?.close();
});

test('the demo is answered one brief as soon as what it rests on is published, once, and it is the final one', {
  tags: ['long'],
  timeout: 300_000,
}, async () => {
  const { key } = await createKey(
    { ...flow.world.store, db: flow.db },
    { orgName: 'demo', credits: 100, label: '' },
  );
  const apiUrl = `http://127.0.0.1:${api.port}`;
  const askFirst = firstBrief({ db: flow.db, apiUrl, key: async () => key });
  const said: string[] = [];
  const pipeline = await openStages(flow);
  const workers = startWorkers(pipeline.context, pipeline.redis);
  try {
    await dispatchToEnd(pipeline, {
      watch: async (progress) => {
        const line = await askFirst(progress);
        if (line !== null) said.push(line);
      },
    });
  } finally {
    await workers.close();
    await pipeline.close();
  }
  const ticker = 'AAPL' as Ticker;
  expect(await largestPosition(flow.db)).toBe(ticker);
  const { briefId = '' } = (await readBrief(flow.db, ticker)) ?? {};
  const url = `${apiUrl}/v1/stocks/${ticker}/capital-change-brief`;
  expect(said).toEqual([`First brief: 200  ${url}  (as a page: ${apiUrl}/briefs/${briefId})`]);
});
