import type { Db } from 'mongodb';
import { insider } from '../../queues/insider.ts';
import { insiders } from '../../queues/insiders.ts';
import { LANES, LAST_LANE } from '../../src/domain/filing/lane.ts';
import type { Cik } from '../../src/domain/ids.ts';
import { countOfIssuers } from '../../src/store/filing/filings.ts';
import { type InvalidationDoc, listPending } from '../../src/store/invalidation/invalidations.ts';
import type { JobContext } from '../worker/context.ts';
import { BATCH, enqueueKeys } from './enqueue.ts';
import { hasWaitingHistory } from './filing-units.ts';

/** Parts of the issuers, each with one job at a time: so many workers may reconcile history at once. */
const PARTS = 4;

/** Of one unit: some tenths of a second of CPU… */
const MAX_ISSUERS = 32;
/** …and of memory, where all forms of its issuers are read. */
const MAX_FORMS = 1_000;

/** Forms of an issuer are gathered for so long in a backfill. */
const GATHER_MS = 120_000;

/**
 * Enqueues the reconciliation of pending issuers. Only the dispatcher does: a run reads all forms that are compared
 * with the changed ones, so a storm of an issuer's forms costs one run an interval. Issuers that only history has
 * invalidated are reconciled in units, by part.
 */
export async function enqueuePendingInsiders(context: JobContext): Promise<void> {
  const { db, producer, now } = context;
  for (const lane of LANES) {
    if (lane === LAST_LANE) continue;
    await enqueueKeys(context, insider, await listPending(db, { kind: 'insider', lane }, BATCH), ['cik']);
  }
  const parts = new Set((await pendingHistory(context)).map(partOfIssuer));
  const at = now().getTime();
  await producer.enqueueAll(
    insiders,
    [...parts].sort().map((part) => ({ part, at })),
  );
}

/**
 * The issuers of history in a part that have waited longest. Those that failed went to the back, so they keep no other
 * from its turn. At least one, however many forms it has. `isLast`: no other one was seen.
 */
export async function unitOfIssuers(context: JobContext, part: string) {
  const own = (await pendingHistory(context)).filter((doc) => partOfIssuer(doc) === part);
  const unit = await withinForms(
    context.db,
    own.slice(0, MAX_ISSUERS).map(({ key }) => key as Cik),
  );
  return { unit, isLast: unit.length === own.length };
}

/** The first of the issuers that do not have too many filings together. */
async function withinForms(db: Db, ciks: readonly Cik[]): Promise<Cik[]> {
  const counts = await countOfIssuers(db, ciks);
  let forms = 0;
  return ciks.filter((cik, at) => {
    forms += counts.get(cik) ?? 0;
    return at === 0 || forms <= MAX_FORMS;
  });
}

function partOfIssuer({ key }: Pick<InvalidationDoc, 'key'>): string {
  return String(Number(key) % PARTS);
}

/** While forms of history are fetched and parsed, an issuer waits two minutes for more of them. */
async function pendingHistory(context: JobContext): Promise<InvalidationDoc[]> {
  const { db, now } = context;
  const pending = await listPending(db, { kind: 'insider', lane: LAST_LANE }, BATCH);
  const since = now().getTime() - GATHER_MS;
  const isYoung = ({ at }: InvalidationDoc): boolean => (at?.getTime() ?? 0) > since;
  if (!pending.some(isYoung) || !(await isReading(context))) return pending;
  return pending.filter((doc) => !isYoung(doc));
}

async function isReading(context: JobContext): Promise<boolean> {
  return (await context.producer.load(['fetches', 'parses'])) > 0 || hasWaitingHistory(context);
}
