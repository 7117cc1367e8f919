import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startWorkers } from '../../../jobs/worker/run.ts';
import { fileOf, manifestFile } from '../../../src/backup/manifest.ts';
import { createKey } from '../../../src/credits/account/key-life.ts';
import { waitUntil } from '../../../src/embedded/wait.ts';
import { tidemark } from '../../cli/tidemark.ts';
import { dispatchToEnd, type Flow, openFlow, openStages, runPipeline } from '../../flow/flow.ts';
import type { Folder } from '../../flow/folder.ts';
import { shownIn, streamOf } from '../../flow/shown.ts';
import { AS_OF, FORM4, openSmallCorpus } from '../../flow/small-corpus.ts';
import { openWorld, type World } from '../../world.ts';
import { scenario } from '../harness/scenario.ts';

let folder: Folder;
let flow: Flow;
let dir: string;
const worlds: World[] = [];

beforeAll(async () => {
  folder = await openSmallCorpus();
  flow = await openFlow(folder, AS_OF);
  dir = join(mkdtempSync(join(tmpdir(), 'tidemark-backup-')), 'copy');
}, 300_000);
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});
afterAll(async () => {
  await flow?.close();
  await folder?.remove();
  rmSync(dir, { recursive: true, force: true });
});

/** Another home over the same EDGAR, with nothing in MongoDB and Redis. */
async function emptyHome(): Promise<Flow> {
  const { EDGAR_URL = '', BACKFILL_FROM = '', TIDEMARK_AS_OF = '' } = flow.world.env;
  const world = await openWorld({
    EDGAR_URL,
    BACKFILL_FROM,
    TIDEMARK_AS_OF,
    BRIEF_DEBOUNCE_MS: '0',
    PORT: '0',
  });
  worlds.push(world);
  return { ...flow, world, config: world.config, db: world.mongo.db };
}

scenario(
  'T13',
  'a backup under load restores into an empty home and leads to the same result',
  async (run) => {
    const { key } = await createKey(flow.world.store, { orgName: 'customer', credits: 50, label: '' });
    expect(key).toMatch(/^tm_/);
    const pipeline = await openStages(flow);
    const workers = startWorkers(pipeline.context, pipeline.redis);
    const running = dispatchToEnd(pipeline);
    // In the middle: some filings are parsed, and others are not there yet.
    const hasBegun = async () =>
      (await flow.db.collection('filings').countDocuments({ state: 'parsed' })) >= 2;
    expect(await waitUntil(hasBegun, 120_000)).toBe(true);
    const backup = await tidemark(flow.world, 'backup', dir);
    expect(backup).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Backed up \d+ documents/) });
    await running;
    await workers.close();
    await pipeline.close();
    const expected = await shownIn(flow.db);

    const home = await emptyHome();
    const restored = await tidemark(home.world, 'restore', dir);
    expect(restored).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Restored \d+ documents/) });
    const copied = await home.db
      .collection('filings')
      .countDocuments({ state: { $in: ['parsed', 'fetched'] } });
    await runPipeline(home);
    expect(await shownIn(home.db)).toEqual(expected);
    const stream = await streamOf(home.db);
    expect(stream.map(([, accession]) => accession).sort()).toEqual([...FORM4].sort());
    expect(await tidemark(home.world, 'events', 'check')).toMatchObject({ code: 0 });
    for (const name of ['organizations', 'keys', 'grants']) {
      expect(await home.db.collection(name).find().toArray()).toEqual(
        await flow.db.collection(name).find().toArray(),
      );
    }
    run.measured({ 'filings in the copy': copied });
  },
);

test('a backup is readable by its user alone, and is refused where it is damaged, not ended, or not alone', async () => {
  await tidemark(flow.world, 'backup', dir).catch(() => undefined);
  expect(statSync(dir).mode & 0o777).toBe(0o700);
  expect(statSync(join(dir, fileOf('keys'))).mode & 0o777).toBe(0o600);
  expect(await tidemark(flow.world, 'backup', dir)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is not empty'),
  });
  expect(await tidemark(flow.world, 'restore', dir)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('has data'),
  });
  const home = await emptyHome();
  const manifest = readFileSync(join(dir, 'manifest.json'), 'utf8');
  expect(manifestFile.parse(JSON.parse(manifest)).collections.length).toBeGreaterThan(20);
  appendFileSync(join(dir, fileOf('filings')), 'x');
  expect(await tidemark(home.world, 'restore', dir)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('filings.bson.gz of the backup is damaged'),
  });
  rmSync(join(dir, 'manifest.json'));
  expect(await tidemark(home.world, 'restore', dir)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('it is no backup, or one that did not end'),
  });
  writeFileSync(join(dir, 'manifest.json'), manifest);
  expect(await home.db.listCollections().toArray()).toEqual([]);
});
