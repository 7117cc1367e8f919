import { JOBS } from '../../jobs/index.ts';
import { partOfReport } from '../../jobs/pending/units.ts';
import type { JobContext } from '../../jobs/worker/context.ts';
import { turnAsOf } from '../../src/derive/corpus/as-of.ts';
import { computeCorpus, invalidateCorpusFollowers } from '../../src/derive/corpus/corpus.ts';
import type { Accession, Cik, IsoDate, QuarterEnd, Ticker } from '../../src/domain/ids.ts';
import { AppError } from '../../src/errors.ts';
import { requireAsOf } from '../../src/store/filing/settings.ts';
import {
  hasUnsettled,
  type InvalidationKind,
  listPending,
} from '../../src/store/invalidation/invalidation.ts';
import { publishCorpus, publishedCorpus } from '../../src/store/publish/corpus.ts';
import { leaderboardDue } from '../../src/store/publish/leaderboard.ts';
import { type Flow, openStages } from './flow.ts';

export type Arrival = {
  readonly accessions: readonly string[];
  /** Whether tickers are known before or after the filings. */
  readonly reference: 'first' | 'last';
  /** Reports and briefs are computed after every so many filings, and at the end. */
  readonly settleEvery: number;
  /** How many deliveries of each job run side by side. */
  readonly deliveries?: number;
  /** Reports are compared once, without the peers. */
  readonly asFiled?: boolean;
};

/** A report invalidates the one of the next quarter at most once: more rounds than quarters would never end. */
const ROUNDS = 20;
/** The filing date only orders jobs on a queue. */
const ANY_DAY = '2018-11-30' as IsoDate;

type Deliver = <P>(job: (context: JobContext, payload: P) => Promise<void>, payload: P) => Promise<void>;

/** Calls the jobs themselves in a chosen order, without workers, clock or BullMQ. */
export async function ingestInOrder(flow: Flow, arrival: Arrival): Promise<void> {
  const pipeline = await openStages(flow);
  const { context } = pipeline;
  const deliver = delivering(context, arrival.deliveries ?? 1);
  try {
    if (flow.config.asOf !== undefined) await turnAsOf(context.db, flow.config.asOf, { mayGoBack: true });
    if (arrival.reference === 'first') await deliver(JOBS.reference, { slot: 1 });
    await discover(context, deliver);
    for (const [n, accession] of (arrival.accessions as Accession[]).entries()) {
      await deliver(JOBS.fetch, { accession, filedDate: ANY_DAY, run: 0 });
      await deliver(JOBS.parse, { accession, filedDate: ANY_DAY, run: 0 });
      await deliver(JOBS.sequence, { slot: n });
      if (arrival.asFiled !== true && (n + 1) % arrival.settleEvery === 0) await settle(context, deliver);
    }
    if (arrival.reference === 'last') await deliver(JOBS.reference, { slot: 1 });
    if (arrival.asFiled === true) await compareReports(context, deliver);
    else await settle(context, deliver);
  } finally {
    await pipeline.close();
  }
}

/** Computes what is pending: what an arrival `asFiled` left undone. */
export async function settleFlow(flow: Flow): Promise<void> {
  const { context, close } = await openStages(flow);
  try {
    await settle(context, delivering(context, 1));
  } finally {
    await close();
  }
}

/** Compares the pending reports as filed, without the peers. */
export async function compareFlow(flow: Flow): Promise<void> {
  const { context, close } = await openStages(flow);
  await compareReports(context, delivering(context, 1)).finally(close);
}

/** Delivers a job several times at once, and again while a delivery fails with a retryable error. */
function delivering(context: JobContext, times: number): Deliver {
  return async (job, payload) => {
    for (;;) {
      const runs = Array.from({ length: times }, () => job(context, payload));
      const failed = (await Promise.allSettled(runs)).flatMap((run) =>
        run.status === 'rejected' ? [run.reason] : [],
      );
      if (failed.length === 0) return;
      const fatal = failed.find((error) => !(error instanceof AppError) || !error.retry);
      if (fatal !== undefined) throw fatal;
    }
  };
}

async function discover({ db, edgar }: JobContext, deliver: Deliver): Promise<void> {
  await deliver(JOBS.backfill, { slot: 1 });
  const asOf = await requireAsOf(db);
  for (const year of await edgar.listYears()) {
    for (const quarter of [1, 2, 3, 4]) {
      for (const date of await edgar.listDailyIndexes(year, quarter)) {
        if (date <= asOf) await deliver(JOBS.reconcile, { date, run: 0 });
      }
    }
  }
}

/** Reports first, because they invalidate other reports and briefs; then the corpus, then every brief. */
async function settle(context: JobContext, deliver: Deliver): Promise<void> {
  const { db } = context;
  await settleReports(context, deliver);
  await whilePending(context, 'insider', (key, version) =>
    deliver(JOBS.insider, { cik: key as Cik, version }),
  );
  const at = context.now().toISOString();
  const before = await publishedCorpus(db);
  await publishCorpus(db, await computeCorpus(db, await requireAsOf(db)), { at, before });
  await invalidateCorpusFollowers(db, at);
  await whilePending(context, 'brief', (key, version) =>
    deliver(JOBS.brief, { ticker: key as Ticker, version }),
  );
  await whilePending(context, 'holders', (key, version) => {
    const [part, quarterEnd] = key.split('|') as [string, QuarterEnd];
    return deliver(JOBS.search, { part, quarterEnd, version });
  });
  await whilePending(context, 'search', (part, version) => deliver(JOBS.search, { part, version }));
  const due = await leaderboardDue(db);
  if (due !== null) await deliver(JOBS.leaderboard, due);
}

/** Reports and peers invalidate each other, until nothing changes any more. */
export async function settleReports(context: JobContext, deliver: Deliver): Promise<void> {
  for (let round = 0; await hasUnsettled(context.db); round += 1) {
    if (round > ROUNDS) throw new Error('reports and peers invalidate each other over and over');
    await compareReports(context, deliver);
    await whilePending(context, 'peers', (key, version) =>
      deliver(JOBS.peers, { quarterEnd: key as QuarterEnd, version }),
    );
  }
}

async function compareReports(context: JobContext, deliver: Deliver): Promise<void> {
  await whilePending(context, 'report', (key) => deliver(JOBS.diff, { part: partOfReport(key), at: 0 }));
}

async function whilePending(
  { db }: JobContext,
  kind: InvalidationKind,
  run: (key: string, version: number) => Promise<void>,
): Promise<void> {
  let round = 0;
  for (
    let pending = await listPending(db, kind, 500);
    pending.length > 0;
    pending = await listPending(db, kind, 500)
  ) {
    if (++round > ROUNDS)
      throw new Error(`invalidated over and over: ${pending.map(({ _id }) => _id).join()}`);
    for (const { key, version } of pending) await run(key, Number(version));
  }
}
