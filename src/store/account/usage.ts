import type { Db } from 'mongodb';
import { groupBy } from '../../domain/group.ts';
import { findByIds } from '../mongo/lists.ts';
import { isDuplicate, JOURNALED } from '../mongo/write.ts';
import type { LedgerDoc } from './ledger.ts';

/** What one key spent on one tool on one day (UTC), counted from the ledger. */
type UsageDoc = {
  /** `<org>|<day>|<key id>|<tool>` */
  _id: string;
  calls: number;
  /** Charged, without what was voided on that day. */
  credits: number;
  voids: number;
  /** The last row that is counted. The rows of an organisation are counted in order. */
  through: string;
};

export type Usage = { readonly day: string; readonly keyId: string; readonly tool: string } & Pick<
  UsageDoc,
  'calls' | 'credits' | 'voids'
>;

const usageIn = (db: Db) => db.collection<UsageDoc>('usage');

/** The usage of an organisation on the days from `from` to `to`, both included, by day. */
export async function usageOf(db: Db, orgId: string, days: { from: string; to: string }): Promise<Usage[]> {
  const docs = await usageIn(db)
    .find({ _id: { $gte: `${orgId}|${days.from}`, $lt: `${orgId}|${days.to}}` } })
    .sort({ _id: 1 })
    .toArray();
  return docs.map(({ _id, through: _, ...counts }) => {
    const [, day = '', keyId = '', tool = ''] = _id.split('|');
    return { day, keyId, tool, ...counts };
  });
}

/**
 * Counts rows of the ledger, given in their order. Two drainers that count batches of one organisation in another
 * order lose calls here, never in a balance; `tidemark credits check` does not compare usage with the ledger. A row is counted once, however often and by however
 * many processes this is called with it.
 */
export async function countUsage(db: Db, rows: readonly LedgerDoc[]): Promise<void> {
  const counted = rows.filter(({ kind }) => kind === 'charge' || kind === 'void' || kind === 'crash_void');
  let left = groupBy(counted, ({ orgId, at, keyId, tool }) => `${orgId}|${at.slice(0, 10)}|${keyId}|${tool}`);
  while (left.size > 0) {
    const docs = await findByIds(usageIn(db), left.keys());
    const stored = new Map(docs.map((doc) => [doc._id, doc]));
    const next: typeof left = new Map();
    const updates = [...left].flatMap(([_id, group]) => {
      const through = stored.get(_id)?.through;
      const fresh = group.filter((row) => through === undefined || row._id > through);
      const last = fresh.at(-1);
      if (last === undefined) return [];
      next.set(_id, fresh);
      return [
        {
          updateOne: {
            filter: { _id, through: through ?? { $exists: false } },
            update: addition(fresh, last._id),
            upsert: true,
          },
        },
      ];
    });
    if (updates.length === 0) return;
    left = (await allApplied(db, updates)) ? new Map() : next;
  }
}

type Updates = Parameters<ReturnType<typeof usageIn>['bulkWrite']>[0];

/** False when another process has counted some of them at the same time. */
async function allApplied(db: Db, updates: Updates): Promise<boolean> {
  try {
    await usageIn(db).bulkWrite(updates, { ordered: false, writeConcern: JOURNALED });
    return true;
  } catch (error) {
    if (isDuplicate(error)) return false;
    throw error;
  }
}

function addition(rows: readonly LedgerDoc[], through: string) {
  const charges = rows.filter(({ kind }) => kind === 'charge');
  const credits = rows.reduce((sum, { delta }) => sum - delta, 0);
  const counts = { calls: charges.length, credits, voids: rows.length - charges.length };
  return { $inc: counts, $set: { through } };
}
