import type { Db } from 'mongodb';
import { groupBy } from '../../domain/group.ts';
import type { QuarterEnd } from '../../domain/ids.ts';
import type { EffectiveReport, ReportChanges } from '../../domain/report/report.ts';
import { reportId } from '../../store/filing/filings.ts';
import { JOURNALED, onlyDuplicates } from '../../store/mongo/write.ts';
import { storedFiled } from '../../store/report/filed-reports.ts';
import { pagesOf, storedPages } from '../../store/report/holdings.ts';
import { positions } from '../../store/report/positions.ts';
import { findReport, type ReportDoc, reportsById, reportsIn } from '../../store/report/reports.ts';
import { isSealed, type SegmentWriter, withSegmentWriter } from '../../store/report/sealing.ts';
import { type ReportContent, reportContent } from './content.ts';
import {
  contentDocs,
  dropUnshown,
  insertContents,
  isStored,
  reportDoc,
  showReport,
  type Written,
} from './writer.ts';

/** From so many changed reports of a sealed quarter on their positions are segments, not documents of each. */
const SEGMENTS_FROM = 16;

/** A report to show. `before`: as it was shown when the comparison began. */
export type ToSave = {
  readonly content: ReportContent;
  readonly version: number;
  readonly edition: number | null;
  readonly before: ReportDoc | null;
};

type Writing = ToSave & { readonly written: Written };

/** One report, of an edition that is not known. False when a later version is shown. */
export async function saveReport(
  db: Db,
  changes: ReportChanges,
  version: number,
  filed: EffectiveReport = changes.report,
): Promise<boolean> {
  const content = reportContent(changes, filed);
  const before = await findReport(db, content.key);
  const { shown } = await saveReports(db, [{ content, version, edition: null, before }]);
  return Number(shown.get(reportId(content.key))?.version) === version;
}

/**
 * Shows reports and their changes: rows and positions first, then the documents that point at them, each
 * unless a later version is shown. The only writer of reports (rule 13.5).
 *
 * What is stored already is not written again. A report is `unchanged` when its document says the same as
 * before, everything that follows from that was invalidated, and its filings stayed as they were (rule 13.3):
 * then nothing follows from it.
 * @returns what is shown now, by id, and the ids of what is unchanged
 */
export async function saveReports(db: Db, reports: readonly ToSave[]) {
  const { known, fresh } = await knownAmong(db, reports);
  const byQuarter = [...groupBy(fresh, ({ content }) => content.key.quarterEnd)];
  const inSegments = new Set<QuarterEnd>();
  for (const [quarterEnd, own] of byQuarter)
    if (own.length >= SEGMENTS_FROM && (await isSealed(db, quarterEnd))) inSegments.add(quarterEnd);
  return withSegmentWriter(db, [...inSegments], async (segments) => {
    const written = await writeContents(db, fresh, segments);
    return show(db, [...known, ...written]);
  });
}

/** Those whose rows were shown and followed before are stored, but for what a crash or another worker removed. */
async function knownAmong(db: Db, reports: readonly ToSave[]) {
  const followed = reports.flatMap((one): [ToSave, ReportDoc][] => {
    const { before, content } = one;
    const isSame = before?.digest === content.key.digest && before.filed.digest === content.filed.digest;
    return before !== null && isSame && before.followersInvalidated ? [[one, before]] : [];
  });
  const [pages, filed] = await Promise.all([
    storedPages(
      db,
      followed.flatMap(([, before]) => pagesOf(before)),
    ),
    storedFiled(
      db,
      followed.map(
        ([
          ,
          {
            cik,
            quarterEnd,
            filed: { digest },
          },
        ]) => ({ cik, quarterEnd, digest }),
      ),
    ),
  ]);
  const known = followed.flatMap(([one, before]): Writing[] => {
    const isThere = filed.has(before._id) && pagesOf(before).every((page) => pages.has(page));
    return isThere ? [{ ...one, written: asBefore(one.content, before) }] : [];
  });
  const ids = new Set(known.map(({ content }) => reportId(content.key)));
  return { known, fresh: reports.filter(({ content }) => !ids.has(reportId(content.key))) };
}

function asBefore({ key, fields, filed, rows }: ReportContent, { pageCount }: ReportDoc): Written {
  return { key, fields, filedDigest: filed.digest, rowTotal: rows.length, pageCount: Number(pageCount) };
}

/** Everything that the documents of the reports point at. */
async function writeContents(
  db: Db,
  reports: readonly ToSave[],
  segments: SegmentWriter,
): Promise<Writing[]> {
  const writing = reports.map((one) => ({ ...one, docs: contentDocs(one.content) }));
  const loose: Parameters<typeof positions.insert>[1][number][] = [];
  for (const { content, before } of reports) {
    const { key } = content;
    if (segments.has(key.quarterEnd)) segments.add(key, content.positions);
    else if (!(await isStored(db, key, before))) loose.push(...positions.docsOf(key, content.positions));
  }
  await Promise.all([
    insertContents(
      db,
      writing.map(({ docs }) => docs),
    ),
    positions.insert(db, loose),
    segments.write(db),
  ]);
  return writing.map(({ docs, ...one }) => ({ ...one, written: docs.written }));
}

async function show(db: Db, reports: readonly Writing[]) {
  await replaceUnlessNewer(db, reports);
  const keys = reports.map(({ content }) => content.key);
  const shown = await reportsById(db, keys);
  for (const { written, ...one } of reports) {
    const id = reportId(written.key);
    // A first write of an earlier version was there a moment sooner.
    if (Number(shown.get(id)?.version ?? -1) < one.version) await showReport(db, written, one);
  }
  const changed = reports.flatMap(({ before, content }) =>
    before !== null && (before.digest !== content.key.digest || before.filed.digest !== content.filed.digest)
      ? [before]
      : [],
  );
  await dropUnshown(db, changed);
  const unchanged = new Set(reports.filter(isUnchanged).map(({ content }) => reportId(content.key)));
  return { shown, unchanged };
}

/** All of them in one command, each only by an equal or later version. */
async function replaceUnlessNewer(db: Db, reports: readonly Writing[]): Promise<void> {
  if (reports.length === 0) return;
  const writes = reports.map(({ written, ...one }) => {
    const { _id, ...replacement } = reportDoc(written, one);
    const filter = { _id, version: { $lte: one.version } };
    return { replaceOne: { filter, replacement, upsert: true } };
  });
  try {
    await reportsIn(db).bulkWrite(writes, { ordered: false, writeConcern: JOURNALED });
  } catch (error) {
    // The id is taken, by a later version or by one that was inserted at the same moment.
    if (!onlyDuplicates(error)) throw error;
  }
}

function isUnchanged({ before, written, version, edition }: Writing): boolean {
  if (before === null || edition === null || Number(before.edition ?? -1) !== edition) return false;
  if (!before.followersInvalidated || !before.filed.followersInvalidated) return false;
  return textOf(reportDoc(written, { before, version, edition })) === textOf({ ...before, version });
}

/** The engines give back small numbers as number or bigint. */
function textOf(doc: ReportDoc): string {
  return JSON.stringify(doc, (_, value: unknown) =>
    typeof value === 'bigint' || typeof value === 'number' ? String(value) : value,
  );
}
