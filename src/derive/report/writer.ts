import type { Db } from 'mongodb';
import { type ReportKey, reportId } from '../../store/filing/filings.ts';
import { dropFiled, filedDoc, insertFiled } from '../../store/report/filed-reports.ts';
import {
  cusipsOfPages,
  dropPages,
  holdingPages,
  insertHoldings,
  previousPagesOf,
} from '../../store/report/holdings.ts';
import { ALL_OPTION_BUCKETS, bucketOf, options, positions } from '../../store/report/positions.ts';
import { raiseQuarterStamps } from '../../store/report/quarter-reports.ts';
import { type ReportDoc, reportsById, reportsIn } from '../../store/report/reports.ts';
import type { ReportContent } from './content.ts';

/** A report whose content is written. */
export type Written = Pick<ReportContent, 'key' | 'fields'> & {
  readonly filedDigest: string;
  readonly rowTotal: number;
  readonly pageCount: number;
};

/** Everything that the document of a report points at, as it is stored. */
export function contentDocs({ key, fields, rowTotal, filed, ...texts }: ReportContent) {
  const pages = holdingPages({ _id: reportId(key), digest: key.digest }, texts.pages);
  const written: Written = { key, fields, filedDigest: filed.digest, rowTotal, pageCount: pages.length };
  return {
    written,
    pages,
    positions: positions.docsOf(key, texts.positions),
    options: options.docsOf(key, texts.options),
    filed: filedDoc(key, filed),
  };
}

/** Of several reports together: a command for each would cost more than what it writes. */
export async function insertContents(db: Db, contents: readonly ReturnType<typeof contentDocs>[]) {
  await Promise.all([
    insertHoldings(
      db,
      contents.flatMap(({ pages }) => pages),
    ),
    positions.insert(
      db,
      contents.flatMap((one) => one.positions),
    ),
    options.insert(
      db,
      contents.flatMap((one) => one.options),
    ),
    insertFiled(
      db,
      contents.map(({ filed }) => filed),
    ),
  ]);
}

type Showing = {
  readonly before: ReportDoc | null;
  readonly version: number;
  readonly edition: number;
};

/** The document that shows what is written. */
export function reportDoc(written: Written, { before, version, edition }: Showing): ReportDoc {
  const { key, fields, filedDigest, rowTotal, pageCount } = written;
  const { digest } = key;
  return {
    _id: reportId(key),
    ...fields,
    ...shownBefore(before, digest),
    version,
    edition,
    digest,
    filed: filedBefore(before, filedDigest),
    rowTotal,
    pageCount,
  };
}

/** Notes that everything that follows from these rows was invalidated, so that older rows need not be kept. */
export async function noteFollowersInvalidated(db: Db, reports: readonly ReportDoc[]): Promise<void> {
  if (reports.length === 0) return;
  const done = { followersInvalidated: true, 'filed.followersInvalidated': true };
  const writes = reports.map(({ _id, digest, filed }) => {
    const filter = { _id, digest, 'filed.digest': filed.digest };
    return { updateOne: { filter, update: { $set: done } } };
  });
  await reportsIn(db).bulkWrite(writes, { ordered: false });
}

/** Removes the rows that reports showed `before` and that are neither shown nor kept any more. */
export async function dropUnshown(db: Db, before: readonly ReportDoc[]): Promise<void> {
  const now = await reportsById(db, before);
  const pages: string[] = [];
  for (const report of before) {
    const shown = now.get(report._id);
    if (shown === undefined) continue;
    const kept = new Set([shown.digest, ...shown.previous.map(({ digest }) => digest)]);
    for (const former of report.previous.filter(({ digest }) => !kept.has(digest))) {
      pages.push(...(await dropFormer(db, report, former)));
    }
    const { cik, quarterEnd, filed } = report;
    if (filed.digest !== shown.filed.digest) await dropFiled(db, { cik, quarterEnd, digest: filed.digest });
  }
  // Last: they say in which buckets the positions were.
  await dropPages(db, pages);
}

/** Removes the rows by security, and returns the pages. */
async function dropFormer(
  db: Db,
  { _id, cik, quarterEnd }: ReportDoc,
  former: ReportDoc['previous'][number],
): Promise<string[]> {
  const pages = previousPagesOf({ _id, previous: [former] });
  const key = { cik, quarterEnd, digest: former.digest };
  await positions.drop(db, key, (await cusipsOfPages(db, pages)).map(bucketOf));
  await options.drop(db, key, ALL_OPTION_BUCKETS);
  return pages;
}

/**
 * The rows to keep in addition to the current digest: the last ones, for readers that are halfway, and all that were
 * shown without their followers being invalidated, because briefs may have been built from them.
 */
function shownBefore(
  before: ReportDoc | null,
  digest: string,
): Pick<ReportDoc, 'previous' | 'followersInvalidated'> {
  if (before === null) return { previous: [], followersInvalidated: false };
  const { previous, followersInvalidated } = before;
  if (before.digest === digest) return { previous, followersInvalidated };
  const last = { digest: before.digest, pageCount: before.pageCount };
  const kept = followersInvalidated ? [] : previous.filter((shown) => shown.digest !== digest);
  return { previous: [...kept, last], followersInvalidated: false };
}

/** Whether the peers were invalidated is known only of the same report as filed. */
function filedBefore(before: ReportDoc | null, digest: string): ReportDoc['filed'] {
  return before?.filed.digest === digest ? before.filed : { digest, followersInvalidated: false };
}

/** Removes a report that no visible filing supports any more, because the as-of date went back. */
export async function withdrawReport(db: Db, key: ReportKey, version: number): Promise<void> {
  await reportsIn(db).deleteOne({ _id: reportId(key), version: { $lte: version } });
  await raiseQuarterStamps(db, [key.quarterEnd]);
}
