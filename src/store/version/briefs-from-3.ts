import { Binary, type Db } from 'mongodb';
import { accessionOf, type EvidenceRecord, evidenceRecords } from '../../domain/brief/evidence.ts';
import type { EvidenceRows } from '../../domain/brief/evidence-rows.ts';
import { summaryOf } from '../../domain/brief/summary.ts';
import type { Brief } from '../../domain/wire/brief.ts';
import { evidenceSources } from '../filing/evidence.ts';
import { unpack } from '../mongo/pack.ts';
import { saveEvidence } from '../publish/evidence.ts';
import { briefsIn } from '../publish/kept-briefs.ts';
import type { Beat } from './lock.ts';

type OldBrief = { readonly _id: string; readonly body: Binary; readonly evidence?: unknown };

/**
 * Gives stored briefs the pages of their evidence in place of lists of ids, and what the list of a ticker's
 * briefs says of them. Returns how many got it.
 */
export async function migrateBriefs(db: Db, beat: Beat): Promise<number> {
  let migrated = 0;
  for await (const stored of briefsIn(db).find({}, { projection: { body: 1, evidence: 1 } })) {
    const old: OldBrief = stored;
    if (Array.isArray(old.evidence)) continue;
    const { data: brief } = JSON.parse(Buffer.from(old.body.buffer).toString('utf8')) as { data: Brief };
    const evidence = await saveEvidence(db, await recordsOf(db, brief, old.evidence));
    await briefsIn(db).updateOne({ _id: old._id }, { $set: { evidence, summary: summaryOf(brief) } });
    await beat();
    migrated += 1;
  }
  return migrated;
}

/** What the brief displays as it says itself; the others as they are read now, because nothing else is stored. */
async function recordsOf(db: Db, brief: Brief, evidence: unknown): Promise<EvidenceRecord[]> {
  const behind =
    evidence instanceof Binary ? unpack<EvidenceRows[]>(evidence) : rowsInManifest(brief.manifest);
  const sources = await evidenceSources(
    db,
    behind.map(({ evidence_id }) => accessionOf(evidence_id)),
  );
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
