import type { Db } from 'mongodb';
import type { EffectiveReport, ReportChanges } from '../../domain/report/report.ts';
import { type ReportKey, reportId } from '../../store/filing/filings.ts';
import { insertNew, JOURNALED, replaceUnlessNewer } from '../../store/mongo/write.ts';
import { dropFiled, filedDoc, insertFiled } from '../../store/report/filed-reports.ts';
import {
  cusipsOfPages,
  dropPages,
  holdingPages,
  insertHoldings,
  previousPagesOf,
} from '../../store/report/holdings.ts';
import { ALL_OPTION_BUCKETS, options } from '../../store/report/options.ts';
import { bucketOf, positions } from '../../store/report/positions.ts';
import { findReport, type ReportDoc, reportsById, reportsIn } from '../../store/report/reports.ts';
import { isSealed } from '../../store/report/sealing.ts';
import type { DigestKey } from '../../store/report/segment.ts';
import { type ReportContent, reportContent } from './content.ts';

/**
 * Shows a report and its changes: rows and positions first, then the one document that points at
 * them, unless a later version is shown; then it returns false. The only writer of reports (rule 13.5).
 * @param filed the report without anything that other filers imply
 */
export async function saveReport(
  db: Db,
  changes: ReportChanges,
  version: number,
  filed: EffectiveReport = changes.report,
): Promise<boolean> {
  const content = reportContent(changes, filed);
  const { key } = content;
  const before = await findReport(db, key);
  const docs = contentDocs(content);
  await Promise.all([
    insertContents(db, [docs]),
    (await isStored(db, key, before)) ? null : positions.write(db, key, content.positions),
  ]);
  return showReport(db, docs.written, { before, version });
}

/** Whether the positions are in segments already: those of the digest shown, in a quarter that has any. */
export async function isStored(db: Db, { quarterEnd, digest }: DigestKey, before: ReportDoc | null) {
  return before?.digest === digest && (await isSealed(db, quarterEnd));
}

/** A report whose content is written, but for its positions. */
export type Written = Pick<ReportContent, 'key' | 'fields'> & {
  readonly filedDigest: string;
  readonly rowTotal: number;
  readonly pageCount: number;
};

/** Everything that the document of a report points at, but for its positions, as it is stored. */
export function contentDocs({ key, fields, rows, filed, options: optionRows }: ReportContent) {
  const pages = holdingPages({ _id: reportId(key), digest: key.digest }, rows);
  const written: Written = {
    key,
    fields,
    filedDigest: filed.digest,
    rowTotal: rows.length,
    pageCount: pages.length,
  };
  return { written, pages, options: options.docsOf(key, optionRows), filed: filedDoc(key, filed) };
}

/** Of several reports together: a command for each would cost more than what it writes. */
export async function insertContents(db: Db, contents: readonly ReturnType<typeof contentDocs>[]) {
  await Promise.all([
    insertHoldings(
      db,
      contents.flatMap(({ pages }) => pages),
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

type Showing = { readonly before: ReportDoc | null; readonly version: number };

/** Shows what is written. False when a later version is shown. */
export async function showReport(db: Db, written: Written, { before, version }: Showing): Promise<boolean> {
  const saved = await replaceUnlessNewer(reportsIn(db), reportDoc(written, { before, version }));
  if (saved && before !== null) await dropUnshown(db, before);
  return saved;
}

/** Shows several reports: those that are new together. */
export async function showReports(
  db: Db,
  reports: readonly { readonly written: Written; readonly version: number }[],
): Promise<void> {
  const docs = reports.map(({ written, version }) => reportDoc(written, { before: null, version }));
  const inserted = new Set(await insertNew(reportsIn(db), docs, JOURNALED));
  const others = reports.filter((_, place) => !inserted.has(place));
  const shown = await reportsById(
    db,
    others.map(({ written }) => written.key),
  );
  for (const { written, version } of others)
    await showReport(db, written, { before: shown.get(reportId(written.key)) ?? null, version });
}

function reportDoc(written: Written, { before, version }: Showing): ReportDoc {
  const { key, fields, filedDigest, rowTotal, pageCount } = written;
  const { digest } = key;
  return {
    _id: reportId(key),
    ...fields,
    ...shownBefore(before, digest),
    version,
    digest,
    filed: filedBefore(before, filedDigest),
    rowTotal,
    pageCount,
  };
}

/** Notes that everything that follows from these rows was invalidated, so that older rows need not be kept. */
export async function noteFollowersInvalidated(db: Db, { _id, digest, filed }: ReportDoc) {
  const done = { followersInvalidated: true, 'filed.followersInvalidated': true };
  await reportsIn(db).updateOne({ _id, digest, 'filed.digest': filed.digest }, { $set: done });
}

/** Removes the rows of `before` that are neither shown nor kept any more. */
async function dropUnshown(db: Db, before: ReportDoc): Promise<void> {
  const now = await reportsIn(db).findOne({ _id: before._id });
  if (now === null) return;
  const { cik, quarterEnd } = before;
  const kept = new Set([now.digest, ...now.previous.map((shown) => shown.digest)]);
  for (const shown of before.previous.filter(({ digest }) => !kept.has(digest))) {
    const pages = previousPagesOf({ _id: before._id, previous: [shown] });
    const cusips = await cusipsOfPages(db, pages);
    const key = { cik, quarterEnd, digest: shown.digest };
    await positions.drop(db, key, cusips.map(bucketOf));
    await options.drop(db, key, ALL_OPTION_BUCKETS);
    await dropPages(db, pages);
  }
  const { digest } = before.filed;
  if (digest !== now.filed.digest) await dropFiled(db, { cik, quarterEnd, digest });
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
}
