import type { Binary, Db } from 'mongodb';
import type { EvidenceRecord } from '../../domain/brief/evidence.ts';
import { sha256Hex } from '../../domain/canonical.ts';
import { findByIds, inLists } from '../mongo/lists.ts';
import { digestOf, PLAIN, pack, tupleOf, unpack } from '../mongo/pack.ts';
import type { Range } from '../mongo/pages.ts';
import { insertNew } from '../mongo/write.ts';

/**
 * Some evidence records of briefs, under the digest of their content. Pages are shared by all briefs
 * that rest on the same readings of the same filings.
 */
type EvidencePageDoc = {
  _id: string;
  records: Binary;
  /** When it is removed; absent while a stored brief rests on it. */
  expiresAt?: Date;
};

/** The evidence of a brief: its pages in order, each with the number of its records. */
export type EvidencePages = readonly { readonly digest: string; readonly count: number }[];

export const evidencePagesIn = (db: Db) => db.collection<EvidencePageDoc>('evidence_pages');

const STAYS = { $unset: { expiresAt: '' as const } };

const RECORD = tupleOf<EvidenceRecord>({
  accession: PLAIN,
  kind: PLAIN,
  formType: PLAIN,
  cik: PLAIN,
  publishedAt: PLAIN,
  parserVersion: PLAIN,
  rawHash: PLAIN,
  rows: PLAIN,
  retrievedAt: PLAIN,
});

/** Stores what is not stored yet, and lets nothing of it expire. A filing more or less costs one page, not the whole list. */
export async function saveEvidence(db: Db, records: readonly EvidenceRecord[]): Promise<EvidencePages> {
  const [pages = []] = await saveEvidenceLists(db, [records]);
  return pages;
}

/** The same for several briefs, with as many commands as for one. */
async function saveEvidenceLists(
  db: Db,
  lists: readonly (readonly EvidenceRecord[])[],
): Promise<EvidencePages[]> {
  const paged = lists.map((records) =>
    pagesOf(records).map((page) => ({ digest: contentDigest(page), page })),
  );
  const pages = new Map(paged.flat().map(({ digest, page }) => [digest, page]));
  for (const digest of await keptAmong(db, [...pages.keys()])) pages.delete(digest);
  await insertNew(
    evidencePagesIn(db),
    [...pages].map(([digest, page]) => ({ _id: digest, records: pack(page.map(RECORD.encode)) })),
  );
  return paged.map((list) => list.map(({ digest, page }) => ({ digest, count: page.length })));
}

/** Lets none of these pages expire. False when one is removed already. */
export async function areKept(db: Db, pages: EvidencePages): Promise<boolean> {
  const digests = pages.map(({ digest }) => digest);
  return (await keptAmong(db, digests)).size === new Set(digests).size;
}

/** Those that are stored, of which none expires from now on. */
async function keptAmong(db: Db, digests: readonly string[]): Promise<ReadonlySet<string>> {
  // Ahead of the read: what is found then stays.
  for (const _id of inLists(digests)) {
    await evidencePagesIn(db).updateMany({ _id, expiresAt: { $exists: true } }, STAYS);
  }
  const stored = await findByIds(evidencePagesIn(db), digests, { _id: 1 });
  return new Set(stored.map(({ _id }) => _id));
}

export function allEvidence(db: Db, pages: EvidencePages): Promise<EvidenceRecord[]> {
  return readEvidence(db, pages, { from: 0, count: evidenceCount(pages) });
}

export function evidenceCount(pages: EvidencePages): number {
  return pages.reduce((sum, { count }) => sum + Number(count), 0);
}

/** Records `[from, from + count)` of a brief's evidence; none past its end. */
export async function readEvidence(db: Db, pages: EvidencePages, { from, count }: Range) {
  let start = 0;
  const touched: { digest: string; start: number }[] = [];
  for (const page of pages) {
    if (start < from + count && start + Number(page.count) > from) {
      touched.push({ digest: page.digest, start });
    }
    start += Number(page.count);
  }
  const digests = touched.map(({ digest }) => digest);
  const docs = await findByIds(evidencePagesIn(db), digests);
  const byDigest = new Map(docs.map(({ _id, records }) => [_id, unpack<unknown[]>(records)]));
  const records = touched.flatMap(({ digest }) => byDigest.get(digest) ?? []).map(RECORD.decode);
  const first = touched[0]?.start ?? from;
  return records.slice(from - first, from - first + count);
}

/**
 * A page ends where the hash of an id says so, about every 256 records. So a new filing changes its own
 * page and moves no other one.
 */
function pagesOf(records: readonly EvidenceRecord[]): EvidenceRecord[][] {
  const pages: EvidenceRecord[][] = [[]];
  for (const record of records) {
    pages.at(-1)?.push(record);
    if (sha256Hex(record.accession).startsWith('00')) pages.push([]);
  }
  return pages.filter((page) => page.length > 0);
}

/** Without the times of fetching: these are no content of a brief either (rule 8.7). */
function contentDigest(page: readonly EvidenceRecord[]): string {
  return digestOf(page.map((record) => RECORD.encode({ ...record, retrievedAt: '' })));
}
