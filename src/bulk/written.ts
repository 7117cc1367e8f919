import type { Db } from 'mongodb';
import { comparedReport } from '../derive/report/compare-reports.ts';
import { reportContent } from '../derive/report/content.ts';
import type { Sources } from '../derive/report/sources.ts';
import { sourcesOf } from '../derive/report/sources.ts';
import { contentDocs, insertContents, type Written } from '../derive/report/writer.ts';
import { batches, groupBy } from '../domain/group.ts';
import type { Cusip } from '../domain/ids.ts';
import { previousQuarterEnd } from '../domain/quarter.ts';
import { AppError } from '../errors.ts';
import type { UnitFailure } from '../store/filing/data-sets.ts';
import { type ReportKey, reportId } from '../store/filing/filings.ts';
import { requireAsOf } from '../store/filing/settings.ts';
import { invalidate } from '../store/invalidation/invalidate.ts';
import type { Versioning } from '../store/invalidation/invalidation.ts';
import type { PeersAnswers } from '../store/peers/answers.ts';
import { reportsById } from '../store/report/reports.ts';
import { inParallel } from './unit.ts';

/** Managers whose reports are read and written together: some 10,000 rows are in memory. */
const MANAGERS_TOGETHER = 32;
/** While some are written, others are computed. */
const AT_ONCE = 2;

type Into = {
  /** By the id of the report. */
  readonly versions: ReadonlyMap<string, Versioning>;
  readonly peers: PeersAnswers;
};

/** What became of the reports of a unit. */
type Outcome = {
  readonly written: ({ readonly written: Written } & Versioning)[];
  readonly cusips: Set<Cusip>;
  readonly failures: UnitFailure[];
};

/** Compares the reports and writes what they will point at. */
export async function writtenReports(db: Db, keys: readonly ReportKey[], into: Into): Promise<Outcome> {
  const outcome: Outcome = { written: [], cusips: new Set(), failures: [] };
  const asOf = await requireAsOf(db);
  const managers = [...groupBy(keys, ({ cik }) => cik).values()];
  await inParallel([...batches(managers, MANAGERS_TOGETHER)], AT_ONCE, async (batch) => {
    const own = batch.flat();
    const sources = await sourcesOf(db, own, { asOf, peers: into.peers });
    await writeTogether({ db, sources, outcome, ...into }, own);
  });
  return outcome;
}

type Run = Into & { readonly db: Db; readonly sources: Sources; readonly outcome: Outcome };

async function writeTogether(run: Run, keys: readonly ReportKey[]): Promise<void> {
  const { db, sources, outcome } = run;
  const shown = await reportsById(db, keys);
  const contents: ReturnType<typeof contentDocs>[] = [];
  for (const key of keys) {
    try {
      const version = versionOf(key, run.versions);
      const docs = await docsOf(run, key);
      if (docs !== null) {
        contents.push(docs);
        outcome.written.push({ written: docs.written, ...version });
      } else if (shown.has(reportId(key))) {
        // The day went back. Its comparison withdraws what is shown, and says so to every brief.
        await invalidate(db, 'report', [reportId(key)]);
      }
    } catch (error) {
      outcome.failures.push(failureOf(key, error));
    }
    await addCusips(outcome.cusips, key, sources);
  }
  await insertContents(db, contents);
}

/** Null when no visible filing supports the report. */
async function docsOf({ sources }: Run, key: ReportKey) {
  const compared = await comparedReport(key, sources);
  if (compared === null) return null;
  return contentDocs(reportContent(compared.changes, compared.filed));
}

function versionOf(key: ReportKey, versions: Into['versions']): Versioning {
  const version = versions.get(reportId(key));
  if (version !== undefined) return version;
  throw new AppError('invalidations_lost', `no version of ${reportId(key)}`, { retry: true });
}

/** A report whose numbers cannot be stored fails alone; anything else stops the unit. */
function failureOf(key: ReportKey, error: unknown): UnitFailure {
  if (!(error instanceof AppError) || error.retry) throw error;
  return { key: reportId(key), code: error.code, reason: error.message };
}

/** Of shares and options of the report and of the one before, from which they may have gone. */
async function addCusips(cusips: Set<Cusip>, { cik, quarterEnd }: ReportKey, { fold }: Sources) {
  for (const quarter of [quarterEnd, previousQuarterEnd(quarterEnd)]) {
    const folded = await fold({ cik, quarterEnd: quarter });
    for (const { amountType, cusip } of folded?.report.positions ?? []) {
      if (amountType === 'SH') cusips.add(cusip);
    }
  }
}
