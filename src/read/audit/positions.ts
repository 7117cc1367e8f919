import type { Db } from 'mongodb';
import type { Reason } from '../../domain/quality/quality.ts';
import {
  BUCKETS_AT_ONCE,
  type ManagerPosition,
  POSITION_BUCKETS,
  walkPositions,
} from '../../store/report/positions.ts';
import { shownDigests } from '../../store/report/reports.ts';
import { tickersByCusip } from '../../store/security/securities.ts';
import { type AuditScope, positionsShown } from './scope.ts';
import { heldBySecurity, securitySums } from './security-sums.ts';
import { tally } from './tally.ts';

export type Progress = (done: number, total: number) => void;

/** Every position of the one quarter, some buckets at a time; with a security, its positions alone. */
export async function auditPositions(db: Db, scope: AuditScope, progress: Progress) {
  const { asOf, positionsOf, security, limit } = scope;
  const reasons = tally<Reason>();
  const sums = securitySums(positionsOf, limit);
  let positions = 0;
  const take = async (batch: readonly ManagerPosition[]): Promise<void> => {
    positions += batch.length;
    for (const position of batch) reasons.add(new Set(position.reasons), null);
    const held = heldBySecurity(batch);
    const cusips = held.filter(({ managers }) => managers > 0).map(({ cusip }) => cusip);
    sums.add(held, asOf === null ? new Map() : await tickersByCusip(db, cusips, asOf));
  };
  if (security !== null) await take(await positionsShown(db, security.cusip, positionsOf));
  else if (positionsOf !== null) {
    const shown = await shownDigests(db, positionsOf);
    let done = 0;
    for await (const batch of walkPositions(db, positionsOf, { shown })) {
      await take(batch);
      done += BUCKETS_AT_ONCE;
      progress(done, POSITION_BUCKETS);
    }
  }
  return { positions, reasons, securities: sums.found() };
}
