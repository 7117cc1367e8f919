import { sequence } from '../../jobs/sequence.ts';
import type { JobContext } from '../../jobs/worker/context.ts';
import { openHighestSeq } from '../../src/credits/notices.ts';
import type { Accession, Cik, IsoDate } from '../../src/domain/ids.ts';
import { AppError } from '../../src/errors.ts';
import { createLogger } from '../../src/log.ts';
import { discoverFilings } from '../../src/store/filing/claims.ts';
import { filingsIn } from '../../src/store/filing/filings.ts';
import type { World } from '../world.ts';

/** The part of a worker's context that the sequencer uses. */
export function sequencingIn({ mongo: { db }, credits, creditsTag }: World): JobContext {
  const highestSeq = openHighestSeq(credits, creditsTag, db.databaseName);
  const now = (): Date => new Date();
  return { db, highestSeq, log: createLogger('silent', 'test'), now } as JobContext;
}

export const accessionOf = (n: number): Accession =>
  `0009999999-20-${String(n).padStart(6, '0')}` as Accession;

/** Parsed forms whose events are pending, numbered; made up, because only their number matters. */
export async function addPending({ mongo: { db } }: World, from: number, count: number): Promise<void> {
  const found = Array.from({ length: count }, (_, n) => ({
    accession: accessionOf(from + n),
    cik: '0000000001' as Cik,
    form: (from + n) % 5 === 0 ? '4/A' : '4',
    leg: 'form4' as const,
    company: 'MADE UP',
    filedDate: '2020-01-02' as IsoDate,
  }));
  await discoverFilings(db, found, new Date());
  const first = accessionOf(from);
  const last = accessionOf(from + count - 1);
  await filingsIn(db).updateMany(
    { _id: { $gte: first, $lte: last } },
    { $set: { state: 'parsed', event: 'pending' } },
  );
}

/** A sequencer as BullMQ runs it: a lost number is a retryable error, and the job runs again. */
export async function untilSequenced(context: JobContext): Promise<number> {
  let conflicts = 0;
  for (;;) {
    try {
      await sequence(context, { slot: 0 });
      return conflicts;
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'sequence_conflict') throw error;
      conflicts += 1;
    }
  }
}
