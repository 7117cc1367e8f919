import type { Db } from 'mongodb';
import type { QuarterEnd } from '../../domain/ids.ts';
import { AppError } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import { filingsIn } from '../filing/filings.ts';
import { invalidate } from '../invalidation/invalidate.ts';
import type { Beat } from '../mongo/lock.ts';
import { currentBriefsIn } from '../publish/briefs.ts';
import { corpusIn } from '../publish/corpus.ts';
import { fundsIn } from '../report/funds.ts';
import { saveLastHeld } from '../report/last-held.ts';
import { positions } from '../report/positions.ts';
import { findReport, type ReportDoc } from '../report/reports.ts';
import { type LooseDoc, securitiesIn } from '../report/slices.ts';
import { joinFiledPositions } from './filed-from-2.ts';

const BATCH = 500;

type Context = { readonly log: Logger; readonly beat: Beat };

/**
 * Version 2 to 3: positions are found by their securities, managers by what they held last, and a report as
 * filed is one document. Filings have a lane.
 */
export async function migrateFrom2(db: Db, { log, beat }: Context): Promise<void> {
  await filingsIn(db).updateMany({ lane: { $exists: false } }, { $set: { lane: 'backfill' } });
  await beat();
  log.info({ documents: await noteSecurities(db, beat) }, 'securities of positions noted');
  log.info({ managers: await noteLastHeld(db, beat) }, 'last positions of managers noted');
  log.info({ reports: await joinFiledPositions(db, beat) }, 'reports as filed joined');
  await outdateBriefs(db);
}

/** The briefs stored count for no publication: each is built again when somebody asks. */
async function outdateBriefs(db: Db): Promise<void> {
  await corpusIn(db).updateMany({ briefVersion: { $exists: false } }, { $set: { briefVersion: 1 } });
  const before = { corpus: { $exists: false } };
  await currentBriefsIn(db).updateMany(before, { $set: { corpus: 0, algorithm: '' } });
}

/** Returns how many documents got their list. */
async function noteSecurities(db: Db, beat: Beat): Promise<number> {
  const stored = positions.collection(db);
  let [batch, noted]: [LooseDoc[], number] = [[], 0];
  const write = async (): Promise<void> => {
    await beat();
    const updates = batch.map((doc) => ({
      updateOne: { filter: { _id: doc._id }, update: { $set: { securities: securitiesIn(doc) } } },
    }));
    if (updates.length > 0) await stored.bulkWrite(updates, { ordered: false });
    noted += batch.length;
    batch = [];
  };
  for await (const doc of stored.find({ securities: { $exists: false } }).sort({ _id: 1 })) {
    // Segments always have the list.
    if ('segment' in doc) continue;
    batch.push(doc);
    if (batch.length === BATCH) await write();
  }
  await write();
  return noted;
}

/** Returns the number of managers. */
async function noteLastHeld(db: Db, beat: Beat): Promise<number> {
  let managers = 0;
  for await (const { _id: cik, latestQuarterEnd: quarterEnd, reportedThrough } of fundsIn(db).find()) {
    const latest = await findReport(db, { cik, quarterEnd });
    if (latest !== null) await noteLast(db, latest, reportedThrough);
    managers += 1;
    if (managers % BATCH === 0) await beat();
  }
  return managers;
}

/** A report that lacks rows is compared again, which writes them and this. */
async function noteLast(db: Db, latest: ReportDoc, reportedThrough: QuarterEnd): Promise<void> {
  try {
    await saveLastHeld(db, [{ latest, reportedThrough }]);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'report_in_motion') throw error;
    await invalidate(db, 'report', [latest._id]);
  }
}
