// @module-tag long

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createKey } from '../../src/credits/account/key-life.ts';
import { currentBalance } from '../../src/credits/ledger/open-balance.ts';
import { filingsIn } from '../../src/store/filing/filings.ts';
import { saveSetting } from '../../src/store/filing/settings.ts';
import { STORE_VERSION } from '../../src/store/filing/store-version.ts';
import { tidemark } from '../cli/tidemark.ts';
import { opened } from '../opened.ts';
import { ownFolder } from '../own-folder.ts';
import { openWorld } from '../world.ts';
import { type Flow, openFlow, runPipeline } from './flow.ts';
import { shownIn } from './shown.ts';
import { AS_OF, openSmallCorpus } from './small-corpus.ts';

const corpus = opened(openSmallCorpus);
const flow = opened(() => openFlow(corpus, AS_OF));
const dir = ownFolder('carried');

const ACCOUNTS = ['organizations', 'keys', 'grants', 'ledger', 'vouchers', 'watchlists'];

/** What a new home has to have of the old one, with when each filing's bytes were fetched. */
async function kept({ db }: Pick<Flow, 'db'>) {
  const accounts = await Promise.all(
    ACCOUNTS.map((name) => db.collection(name).find().sort('_id').toArray()),
  );
  const fields = { raw: 1, retrievedAt: 1, parsedRaw: 1 };
  const filings = await filingsIn(db).find({}, { projection: fields }).sort('_id').toArray();
  return { accounts, filings };
}

test('a home of another store version is refused, and a new one gets its accounts and reads its bytes again', async () => {
  await runPipeline(flow);
  const { orgId } = await createKey(flow.world.store, { orgName: 'customer', credits: 1_000, label: '' });
  await saveSetting(flow.db, 'store_version', String(STORE_VERSION - 1));
  expect(await tidemark(flow.world, 'status')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('tidemark backup DIR'),
  });
  await expect(runPipeline(flow)).rejects.toMatchObject({ code: 'store_version' });
  expect(await tidemark(flow.world, 'backup', join(dir, 'copy'))).toMatchObject({ code: 0 });
  const before = { shown: await shownIn(flow.db), ...(await kept(flow)) };

  const { EDGAR_URL = '', BACKFILL_FROM = '', TIDEMARK_AS_OF = '' } = flow.world.env;
  const world = await openWorld({ EDGAR_URL, BACKFILL_FROM, TIDEMARK_AS_OF, BRIEF_DEBOUNCE_MS: '0' });
  const home: Flow = { ...flow, world, config: world.config, db: world.mongo.db };
  expect(await tidemark(world, 'restore', join(dir, 'copy'))).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('earlier store version'),
  });
  await runPipeline(home);
  expect({ shown: await shownIn(home.db), ...(await kept(home)) }).toEqual(before);
  expect(await tidemark(world, 'credits', 'check')).toMatchObject({ code: 0 });
  expect(await currentBalance(world.store, { _id: orgId, epoch: 0 })).toBe(1_000);
  await world.close();
});
