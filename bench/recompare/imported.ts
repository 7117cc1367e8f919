import { join } from 'node:path';
import type { CommandStartedEvent, MongoClient } from 'mongodb';
import { enqueuePendingReports } from '../../jobs/pending/enqueue.ts';
import { enqueuePendingPeers } from '../../jobs/pending/settled.ts';
import type { JobContext } from '../../jobs/worker/context.ts';
import { openPipeline } from '../../jobs/worker/open.ts';
import { type Engine, engineThatMade } from '../../packages/embedded/engine.ts';
import { openServices } from '../../packages/embedded/open.ts';
import { serveLocalEdgar } from '../../packages/local-edgar/serve.ts';
import { QUEUES } from '../../queues/index.ts';
import { queueIn, runWaiting, type Waiting } from '../../scripts/sandbox/in-order.ts';
import { withTemporaryFolder } from '../../scripts/temporary-folder.ts';
import { importDataSet } from '../../src/bulk/import.ts';
import { type Config, loadConfig } from '../../src/config.ts';
import { turnAsOf } from '../../src/derive/corpus/as-of.ts';
import { openArchive } from '../../src/edgar/data-set/archive.ts';
import { invalidate } from '../../src/store/invalidation/invalidate.ts';
import { hasPending, hasUnsettled } from '../../src/store/invalidation/invalidation.ts';
import { findAmong } from '../../src/store/mongo/lists.ts';
import { reportsIn } from '../../src/store/report/reports.ts';
import { writeDataSets } from '../market/data-set.ts';
import { writeReferences } from '../market/folder.ts';
import { type Market, quarterEndsOf } from '../market/market.ts';
import { AS_OF } from '../scale/loaded.ts';
import { monitored, openProbe, type Probe, type Spent } from '../scale/probe.ts';

/** Comparisons of some reports, and what all of them cost together. */
export type Compared = {
  readonly reports: number;
  /** Those that show other rows now. */
  readonly changed: number;
  readonly spent: Spent;
  /** Documents that were inserted, or offered and known already. */
  readonly inserted: number;
};

export type Recompared = {
  readonly rows: number;
  readonly engine: Engine | undefined;
  readonly peers: Spent;
  readonly changed: Compared;
  readonly same: Compared;
};

/** Imports the market as data sets into a home of its own, then runs the jobs of peers and comparisons alone. */
export function measureRecompared(market: Market): Promise<Recompared> {
  return withTemporaryFolder('recompare', async (home) => {
    const { dirs, rows } = writeDataSets(join(home, 'sets'), market);
    writeReferences(home, market);
    const edgar = await serveLocalEdgar({ dir: home, port: 0, asOf: AS_OF, isWhole: true });
    const settings = { home, docker: 'never', edgarUrl: edgar.url, asOf: AS_OF, logLevel: 'warn' } as const;
    const config: Config = { ...loadConfig(), ...settings, briefDebounceMs: 0 };
    const services = await openServices(config, () => undefined);
    const mongoUrl = monitored(services.mongoUrl);
    const pipeline = await openPipeline(config, { ...services, mongoUrl });
    try {
      const { context, base } = pipeline;
      await turnAsOf(context.db, AS_OF, { mayGoBack: true });
      await importAll(context, dirs);
      const measuring = { context, probe: openProbe(base.mongo.client, home), client: base.mongo.client };
      const { peers, changed } = await settled(measuring);
      await invalidateAgain(context, market);
      const { changed: same } = await settled(measuring);
      return { rows, engine: engineThatMade(home), peers, changed, same };
    } finally {
      await pipeline.close();
      await services.release();
      await edgar.close();
    }
  });
}

async function importAll(context: JobContext, dirs: readonly string[]): Promise<void> {
  const { db, now } = context;
  const waiting = new Map<string, Waiting>();
  const inOrder = { ...context, producer: queueIn(waiting) };
  await runWaiting(inOrder, { name: QUEUES.reference.name as 'reference', payload: { slot: 1 } });
  const options = { db, now, resume: false, isStopped: () => false, onProgress: () => undefined };
  for (const dir of dirs) {
    const archive = await openArchive(dir);
    await importDataSet(options, '13f', archive);
    await archive.close();
  }
  await compareAsFiled(inOrder, waiting);
}

/** As filed: what peers make of the reports is measured. */
async function compareAsFiled(context: JobContext, waiting: Map<string, Waiting>): Promise<void> {
  while (await hasPending(context.db, 'report')) {
    await enqueuePendingReports(context);
    for (const [id, job] of waiting) {
      waiting.delete(id);
      if (job.name === 'diff') await runWaiting(context, job);
    }
  }
}

/** The same reports are compared again, as after other verdicts that concern none of their rows. */
async function invalidateAgain({ db }: JobContext, market: Market): Promise<void> {
  const last = quarterEndsOf(market.quarters).slice(-1);
  const reports = await findAmong(reportsIn(db), {
    field: 'quarterEnd',
    values: last,
    projection: { _id: 1 },
  });
  const unmoved = { kind: 'report', lane: 'backfill', unmoved: true } as const;
  await invalidate(
    db,
    unmoved,
    reports.map(({ _id }) => _id),
  );
}

type Measuring = { readonly context: JobContext; readonly probe: Probe; readonly client: MongoClient };

const NOTHING: Spent = { nodeMs: 0, engineMs: 0, wallMs: 0, commands: 0, documents: 0 };

/** Runs comparisons and peers until none is pending. */
async function settled({ context: base, probe, client }: Measuring) {
  const waiting = new Map<string, Waiting>();
  const context: JobContext = { ...base, producer: queueIn(waiting) };
  const inserted = countInserted(client);
  const keys = new Set<string>();
  const before = await digestsIn(context);
  let [peers, comparing, offered] = [NOTHING, NOTHING, 0];
  const run = async (job: Waiting): Promise<void> => {
    const earlier = inserted.count();
    const { spent } = await probe(() => runWaiting(context, job));
    for (const id of await pendingReports(context)) keys.add(id);
    if (job.name === 'peers') peers = sum(peers, spent);
    else [comparing, offered] = [sum(comparing, spent), offered + inserted.count() - earlier];
  };
  while (await hasUnsettled(context.db)) {
    for (const id of await pendingReports(context)) keys.add(id);
    await enqueuePendingPeers(context, []);
    await enqueuePendingReports(context);
    for (const [id, job] of waiting) {
      waiting.delete(id);
      if (['peers', 'diff'].includes(job.name)) await run(job);
    }
  }
  inserted.stop();
  const after = await digestsIn(context);
  const changed = [...after].filter(([id, digest]) => before.get(id) !== digest).length;
  return { peers, changed: { reports: keys.size, changed, spent: comparing, inserted: offered } };
}

function countInserted(client: MongoClient) {
  let count = 0;
  const note = ({ commandName, command }: CommandStartedEvent): void => {
    if (commandName === 'insert') count += (command['documents'] as unknown[]).length;
  };
  client.on('commandStarted', note);
  return { count: () => count, stop: () => client.off('commandStarted', note) };
}

async function pendingReports({ db }: JobContext): Promise<string[]> {
  const found = await db.collection('invalidations').find({ kind: 'report', pending: true }).toArray();
  return found.map((doc) => String(doc['key']));
}

async function digestsIn({ db }: JobContext): Promise<Map<string, string>> {
  const docs = await reportsIn(db)
    .find({}, { projection: { digest: 1 } })
    .toArray();
  return new Map(docs.map(({ _id, digest }) => [_id, digest]));
}

function sum(a: Spent, b: Spent): Spent {
  return {
    nodeMs: a.nodeMs + b.nodeMs,
    engineMs: a.engineMs + b.engineMs,
    wallMs: a.wallMs + b.wallMs,
    commands: a.commands + b.commands,
    documents: a.documents + b.documents,
  };
}
