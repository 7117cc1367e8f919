import { Binary, type Db } from 'mongodb';
import { accessionOf, type EvidenceRecord, evidenceRecords } from '../../domain/brief/evidence.ts';
import type { EvidenceRows } from '../../domain/brief/evidence-rows.ts';
import { summaryOf } from '../../domain/brief/summary.ts';
import type { Brief } from '../../domain/wire/brief.ts';
import { evidenceSources } from '../filing/evidence.ts';
import type { Beat } from '../mongo/lock.ts';
import { unpack } from '../mongo/pack.ts';
import { saveEvidenceLists } from '../publish/evidence.ts';
import { briefsIn } from '../publish/kept-briefs.ts';

type OldBrief = { readonly _id: string; readonly body: Binary; readonly evidence?: unknown };

/** Read and written at a time. The largest of these bodies have 2.5 MB. */
const BATCH = 50;

/**
 * Gives stored briefs the pages of their evidence in place of lists of ids, and what the list of a ticker's
 * briefs says of them, some at a time in the order of their ids. One that has both is not read again, so an
 * interrupted pass goes on. Returns how many got it.
 */
export async function migrateBriefs(db: Db, beat: Beat): Promise<number> {
  let migrated = 0;
  for (let after = ''; ; ) {
    const batch: OldBrief[] = await briefsIn(db)
      .find({ _id: { $gt: after }, summary: { $exists: false } }, { projection: { body: 1, evidence: 1 } })
      .sort({ _id: 1 })
      .limit(BATCH)
      .toArray();
    await migrateBatch(db, batch);
    await beat();
    migrated += batch.length;
    after = batch.at(-1)?._id ?? '';
    if (batch.length < BATCH) return migrated;
  }
}

async function migrateBatch(db: Db, batch: readonly OldBrief[]): Promise<void> {
  const briefs = batch.map(readBrief);
  const cited = briefs.flatMap(({ behind }) => behind.map(({ evidence_id }) => accessionOf(evidence_id)));
  const sources = await evidenceSources(db, cited);
  const pages = await saveEvidenceLists(
    db,
    briefs.map((one) => recordsOf(one, sources)),
  );
  for (const [at, { _id, brief }] of briefs.entries()) {
    const $set = { evidence: pages[at] ?? [], summary: summaryOf(brief) };
    await briefsIn(db).updateOne({ _id }, { $set });
  }
}

/** `behind`: what the brief rests on. */
function readBrief({ _id, body, evidence }: OldBrief) {
  const { data: brief } = JSON.parse(Buffer.from(body.buffer).toString('utf8')) as { data: Brief };
  const isPacked = evidence instanceof Binary;
  return { _id, brief, behind: isPacked ? unpack<EvidenceRows[]>(evidence) : rowsInManifest(brief.manifest) };
}

type Sources = Awaited<ReturnType<typeof evidenceSources>>;

/** What the brief displays as it says itself; the others as they are read now, because nothing else is stored. */
function recordsOf({ brief, behind }: ReturnType<typeof readBrief>, sources: Sources): EvidenceRecord[] {
  const displayed = new Map(brief.evidence.map((item) => [item.evidence_id, item]));
  return evidenceRecords(behind, sources).map((record, at) => {
    const own = displayed.get(behind[at]?.evidence_id ?? '');
    if (own === undefined) return record;
    return {
      ...record,
      parserVersion: own.parser_version,
      rawHash: own.raw_hash,
      retrievedAt: own.retrieved_at,
    };
  });
}

/** Before the list was stored, the manifest had it whole. */
function rowsInManifest({ evidence_ids, filings }: Brief['manifest']): EvidenceRows[] {
  const rows = new Map(filings.map((filing) => [filing.evidence_id, filing.rows]));
  return evidence_ids.map((evidence_id) => ({ evidence_id, rows: rowsOf(rows.get(evidence_id)) }));
}

/** A brief of this release has text there, and its list is stored. */
function rowsOf(rows: unknown): readonly number[] {
  return Array.isArray(rows) ? rows : [];
}
