import type { AnyBulkWriteOperation, Db } from 'mongodb';
import { reportId } from '../../store/filing/filings.ts';
import { JOURNALED, placesOfDuplicates } from '../../store/mongo/write.ts';
import { dropFiled, storedFiled } from '../../store/report/filed-reports.ts';
import {
  cusipsOfPages,
  dropPages,
  inMotion,
  pagesOf,
  previousPagesOf,
  storedPages,
} from '../../store/report/holdings.ts';
import { ALL_OPTION_BUCKETS, bucketOf, options, positions } from '../../store/report/positions.ts';
import { raiseQuarterStamps } from '../../store/report/quarter-reports.ts';
import { type ReportDoc, reportsById, reportsIn } from '../../store/report/reports.ts';
import { contentDocs, insertContents, type ReportContent, type Written } from './content.ts';

/** A report to show. `before`: as it was shown when the comparison began. */
export type ToSave = {
  readonly content: ReportContent;
  readonly version: number;
  readonly edition: number;
  readonly before: ReportDoc | null;
};

type Writing = ToSave & { readonly written: Written };

/** How often a report is saved anew because another worker showed it in between. */
const ROUNDS = 5;

/**
 * Shows reports and their changes: rows and positions first, then the documents that point at them, each
 * unless a later version is shown. Nothing else shows a report (rule 13.5).
 *
 * What is stored already is not written again. A report is `unchanged` when its document says the same as
 * before, everything that follows from that was invalidated, and its filings stayed as they were (rule 13.3):
 * then nothing follows from it. One that another worker shows at the same time is saved anew over what that one
 * showed, so that no rows are forgotten whose followers are not invalidated yet.
 * @returns what is shown now, by id, and the ids of what is unchanged
 */
export async function saveReports(db: Db, reports: readonly ToSave[]) {
  const keys = reports.map(({ content }) => content.key);
  const unchanged = new Set<string>();
  let left = reports;
  for (let round = 0; left.length > 0; round += 1) {
    if (round === ROUNDS) throw inMotion(left.map(({ content }) => reportId(content.key)).join());
    const { saved, refused } = await saveOnce(db, left);
    for (const one of saved.filter(isUnchanged)) unchanged.add(reportId(one.content.key));
    left = await overShown(db, refused);
  }
  return { shown: await reportsById(db, keys), unchanged };
}

/**
 * Those of which no later version is shown, to be saved over what is shown now. One that another worker withdrew while
 * it was compared is not shown again: throws `report_in_motion`, because its filings have to be asked anew.
 */
async function overShown(db: Db, refused: readonly ToSave[]): Promise<ToSave[]> {
  const keys = refused.map(({ content }) => content.key);
  const shown = await reportsById(db, keys);
  const withdrawn = refused.filter(
    ({ before, content }) => before !== null && !shown.has(reportId(content.key)),
  );
  if (withdrawn.length > 0) throw inMotion(withdrawn.map(({ content }) => reportId(content.key)).join());
  return refused
    .map((one) => ({ ...one, before: shown.get(reportId(one.content.key)) ?? null }))
    .filter(({ before, version }) => Number(before?.version ?? -1) <= version);
}

async function saveOnce(db: Db, reports: readonly ToSave[]) {
  const { known, fresh } = await knownAmong(db, reports);
  return show(db, [...known, ...(await writeContents(db, fresh))]);
}

/** Those whose rows were shown and followed before are stored, but for what a crash or another worker removed. */
async function knownAmong(db: Db, reports: readonly ToSave[]) {
  const followed = reports.flatMap((one): [ToSave, ReportDoc][] => {
    const { before, content } = one;
    const isSame = before?.digest === content.key.digest && before.filed.digest === content.filed.digest;
    return before !== null && isSame && before.followersInvalidated ? [[one, before]] : [];
  });
  const wanted = followed.flatMap(([, before]) => pagesOf(before));
  const keys = followed.map(([, before]) => ({ ...before, digest: before.filed.digest }));
  const [pages, filed] = await Promise.all([storedPages(db, wanted), storedFiled(db, keys)]);
  const known = followed.flatMap(([one, before]): Writing[] => {
    const isThere = filed.has(before._id) && pagesOf(before).every((page) => pages.has(page));
    return isThere ? [{ ...one, written: asBefore(one.content, before) }] : [];
  });
  const ids = new Set(known.map(({ content }) => reportId(content.key)));
  return { known, fresh: reports.filter(({ content }) => !ids.has(reportId(content.key))) };
}

function asBefore({ key, fields, filed, rowTotal }: ReportContent, { pageCount }: ReportDoc): Written {
  return { key, fields, filedDigest: filed.digest, rowTotal, pageCount: Number(pageCount) };
}

/** Everything that the documents of the reports point at. */
async function writeContents(db: Db, reports: readonly ToSave[]): Promise<Writing[]> {
  const writing = reports.map((one) => ({ ...one, docs: contentDocs(one.content) }));
  const contents = writing.map(({ docs }) => docs);
  await insertContents(db, contents);
  return writing.map(({ docs, ...one }) => ({ ...one, written: docs.written }));
}

/** Shows what is written. `refused`: those that are not shown as they were before any more. */
async function show(db: Db, reports: readonly Writing[]) {
  const taken = await replaceAsBefore(db, reports);
  // Also of reports that show the same as before: an earlier state, which other verdicts changed, may be copied.
  const quarters = reports.map(({ content }) => content.key.quarterEnd);
  await raiseQuarterStamps(db, quarters);
  const saved = reports.filter((_, place) => !taken.has(place));
  const changed = saved.flatMap(({ before, content }) =>
    before !== null && (before.digest !== content.key.digest || before.filed.digest !== content.filed.digest)
      ? [before]
      : [],
  );
  await dropUnshown(db, changed);
  return { saved, refused: reports.filter((_, place) => taken.has(place)) };
}

/** All of them in one command. Returns the places of those that were not as before any more. */
async function replaceAsBefore(db: Db, reports: readonly Writing[]): Promise<Set<number>> {
  if (reports.length === 0) return new Set();
  const writes = reports.map(({ written, ...one }): AnyBulkWriteOperation<ReportDoc> => {
    const document = reportDoc(written, one);
    const { _id, ...replacement } = document;
    if (one.before === null) return { insertOne: { document } };
    const { digest, followersInvalidated, filed } = one.before;
    const filter = {
      ...{ _id, version: { $lte: one.version }, digest, followersInvalidated },
      ...{ 'filed.digest': filed.digest, 'filed.followersInvalidated': filed.followersInvalidated },
    };
    return { replaceOne: { filter, replacement } };
  });
  try {
    const written = await reportsIn(db).bulkWrite(writes, { ordered: false, writeConcern: JOURNALED });
    if (written.matchedCount + written.insertedCount === writes.length) return new Set();
  } catch (error) {
    // Throws what is no duplicate.
    placesOfDuplicates(error);
  }
  return placesOfOthers(db, reports);
}

/** The places of the reports that are not shown as they were written. */
async function placesOfOthers(db: Db, reports: readonly Writing[]): Promise<Set<number>> {
  const keys = reports.map(({ content }) => content.key);
  const shown = await reportsById(db, keys);
  const isShown = ({ written, ...one }: Writing): boolean => {
    const now = shown.get(reportId(one.content.key));
    return now !== undefined && textOf(now) === textOf(reportDoc(written, one));
  };
  return new Set(reports.flatMap((one, place) => (isShown(one) ? [] : [place])));
}

function isUnchanged({ before, written, version, edition }: Writing): boolean {
  if (before === null || Number(before.edition) !== edition) return false;
  if (!before.followersInvalidated || !before.filed.followersInvalidated) return false;
  return textOf(reportDoc(written, { before, version, edition })) === textOf({ ...before, version });
}

/** The engines give back small numbers as number or bigint. */
function textOf(doc: ReportDoc): string {
  return JSON.stringify(doc, (_, value: unknown) =>
    typeof value === 'bigint' || typeof value === 'number' ? String(value) : value,
  );
}

/** The document that shows what is written. */
function reportDoc(written: Written, { before, version, edition }: Omit<ToSave, 'content'>): ReportDoc {
  const { key, fields, filedDigest, rowTotal, pageCount } = written;
  const { digest } = key;
  return {
    _id: reportId(key),
    ...fields,
    ...shownBefore(before, digest),
    version,
    // Until its followers are invalidated, those of the edition before are all that is known of.
    edition: before?.edition ?? edition,
    digest,
    // Whether the peers were invalidated is known only of the same report as filed.
    filed:
      before?.filed.digest === filedDigest
        ? before.filed
        : { digest: filedDigest, followersInvalidated: false },
    rowTotal,
    pageCount,
  };
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

/** Removes the rows that reports showed `before` and that are neither shown nor kept any more. */
async function dropUnshown(db: Db, before: readonly ReportDoc[]): Promise<void> {
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
