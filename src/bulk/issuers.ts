import type { Db } from 'mongodb';
import { reconcileIssuer } from '../derive/insider/writer.ts';
import type { Cik } from '../domain/ids.ts';
import { inParallel } from './unit.ts';

/** Issuers that are reconciled at the same time. */
const AT_ONCE = 4;

/** Reconciles the trades of pending issuers. */
export async function reconcileIssuers(db: Db, issuers: readonly Cik[]): Promise<void> {
  await inParallel(issuers, AT_ONCE, (cik) => reconcileIssuer(db, cik));
}
