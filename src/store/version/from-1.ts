import type { Db } from 'mongodb';
import type { Logger } from '../../log.ts';
import { type FilingDoc, filingsIn, reportIdOf } from '../filing/filings.ts';
import { saveSetting } from '../filing/settings.ts';
import { invalidate } from '../invalidation/invalidate.ts';
import type { InvalidationKind } from '../invalidation/invalidation.ts';
import { dropIndex } from '../mongo/indexes.ts';
import type { Beat } from '../mongo/lock.ts';
import { type FilingBefore, migratedFiling } from './filing-from-1.ts';
import { migrateStatements } from './statements-from-1.ts';
import { ONLY_IN_1, SETTING } from './version.ts';

/** What is derived, by the names of version 1. */
const DERIVED = [
  'reports',
  'holdings',
  'positions',
  'filed_books',
  'funds',
  'consensus',
  'quarter_prices',
  'trades',
  'trade_lines',
  'briefs',
  'brief_heads',
  'corpus',
  'leaderboard',
  'leaderboard_pages',
  'leaderboard_quarters',
  'search_parts',
  'search_holders',
  'search_members',
  'held_cusips',
  'listed_asked',
  // The last: its tickers are read before, and it marks the home as one of version 1.
  ONLY_IN_1,
];

/** Indexes of kept collections whose fields have other names now. */
const INDEXES = { filings: 'fund_history', events: 'by_owner' };

const BATCH = 500;

type Context = { readonly log: Logger; readonly now: () => Date; readonly beat: Beat };

/**
 * Version 1 to 2: derived collections are dropped, filings and events get their new fields, equal
 * statements of tickers are joined, and every report, issuer and ticker is invalidated. Each step finds what it has left undone.
 */
export async function migrateFrom1(db: Db, { log, now, beat }: Context): Promise<void> {
  await beat();
  // From here on the home says what it is, whatever has been migrated of its filings.
  await saveSetting(db, SETTING, '1');
  await invalidateBriefs(db);
  const stored = new Set(
    (await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name),
  );
  for (const name of DERIVED.filter((derived) => stored.has(derived))) {
    await beat();
    await db.collection(name).drop();
  }
  log.info({ collections: DERIVED.length }, 'derived collections dropped');
  log.info({ filings: await migrateFilings(db, beat) }, 'filings migrated');
  log.info({ statements: await migrateStatements(db, beat) }, 'statements of sources joined');
  await beat();
  await db.collection('events').updateMany({ ownerCiks: { $exists: true } }, RENAMED_OWNERS);
  for (const [collection, index] of Object.entries(INDEXES)) {
    if (stored.has(collection)) await dropIndex(db, collection, index);
  }
  await beat();
  log.info(await invalidateAll(db), 'reports and issuers invalidated');
  await db.collection<{ _id: string }>('settings').deleteOne({ _id: 'consensus_method' });
  // The first publication of the corpus waits until everything is derived, as in a new home.
  await db.collection('progress').updateMany({}, { $set: { at: now().toISOString() } });
}

const RENAMED_OWNERS = { $rename: { ownerCiks: 'reportingOwnerCiks' } };

/** Every ticker that had a brief, or was asked for, gets one again. */
async function invalidateBriefs(db: Db): Promise<void> {
  await invalidate(db, 'brief', await db.collection(ONLY_IN_1).distinct('key', { kind: 'brief' }));
}

/** Returns how many it migrated. */
async function migrateFilings(db: Db, beat: Beat): Promise<number> {
  let [batch, migrated]: [FilingBefore[], number] = [[], 0];
  const write = async (): Promise<void> => {
    await beat();
    if (batch.length > 0) await filingsIn(db).bulkWrite(batch.map(replacementOf), { ordered: false });
    migrated += batch.length;
    batch = [];
  };
  const filings = db.collection<FilingBefore | FilingDoc>('filings');
  for await (const filing of filings.find().sort({ _id: 1 })) {
    if ('thirteenF' in filing) batch.push(filing);
    if (batch.length === BATCH) await write();
  }
  await write();
  return migrated;
}

function replacementOf(before: FilingBefore) {
  const { _id, ...replacement } = migratedFiling(before);
  return { replaceOne: { filter: { _id }, replacement } };
}

/** Everything that follows from a parsed filing is computed again. */
async function invalidateAll(db: Db): Promise<{ readonly reports: number; readonly issuers: number }> {
  const keys = { report: new Set<string>(), insider: new Set<string>() };
  const parsed = filingsIn(db).find<Pick<FilingDoc, 'cik' | 'content' | 'issuerCik'>>(
    { state: 'parsed' },
    { projection: { cik: 1, issuerCik: 1, 'content.kind': 1, 'content.quarterEnd': 1 } },
  );
  for await (const filing of parsed) {
    const report = reportIdOf(filing);
    if (report !== null) keys.report.add(report);
    if (filing.issuerCik !== null) keys.insider.add(filing.issuerCik);
  }
  for (const kind of Object.keys(keys) as (keyof typeof keys & InvalidationKind)[]) {
    await invalidate(db, kind, keys[kind]);
  }
  return { reports: keys.report.size, issuers: keys.insider.size };
}
