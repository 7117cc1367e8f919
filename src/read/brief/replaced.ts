import type { Db } from 'mongodb';
import type { BuiltBrief } from '../../domain/brief/brief.ts';
import type { EvidenceRows } from '../../domain/brief/cited.ts';
import { correctionOf, hasSameFacts } from '../../domain/brief/correction.ts';
import { accessionOf } from '../../domain/brief/evidence.ts';
import { type AddedEvidence, supersededBy } from '../../domain/brief/superseded.ts';
import type { Ticker } from '../../domain/ids.ts';
import type { Brief } from '../../domain/wire/brief.ts';
import { evidenceSources } from '../../store/filing/evidence.ts';
import { reparsedAt } from '../../store/filing/settings.ts';
import { lastBriefBut } from '../../store/publish/briefs.ts';
import { dropCorrection, noteCorrection } from '../../store/publish/corrections.ts';
import { allEvidence } from '../../store/publish/evidence.ts';
import { keepBriefs } from '../../store/publish/kept-briefs.ts';
import { dropSuperseded, lastBriefEvidence, noteSuperseded } from '../../store/publish/stored-briefs.ts';

/** A brief that is about to be replaced by another one of its ticker. */
type Replaced = { readonly from: string; readonly by: string; readonly corrects: boolean };

/**
 * Notes why the brief replaces the one that its ticker shows, and whether it corrects it (rules 8.9 and
 * 8.10). Call it before the brief is shown, so that a crash in between loses neither. Null where the
 * ticker shows no other brief.
 */
export async function noteReplaced(db: Db, ticker: Ticker, built: BuiltBrief): Promise<Replaced | null> {
  const { brief, evidence } = built;
  const last = await lastBriefBut(db, ticker, brief.brief_id);
  if (last === null) return null;
  const before = (JSON.parse(last.text) as { data: Brief }).data;
  const reparsed = await reparsedAt(db);
  const correction = correctionOf(before, brief, reparsed !== null && reparsed >= last.at);
  const isNews = correction === null && !hasSameFacts(before, brief);
  const added = isNews ? await addedEvidence(db, ticker, evidence) : [];
  const { brief_id: by, generated_at: at } = brief;
  const from = before.brief_id;
  await noteSuperseded(db, from, supersededBy(before, brief, { correction, added }));
  if (correction !== null) {
    await keepBriefs(db, [from, by]);
    await noteCorrection(db, { _id: by, ticker, from, at, ...correction });
  }
  return { from, by, corrects: correction !== null };
}

/** Takes it back: the later brief was not shown after all. */
export async function dropReplaced(db: Db, { from, by, corrects }: Replaced): Promise<void> {
  if (corrects) await dropCorrection(db, by);
  await dropSuperseded(db, from, by);
}

async function addedEvidence(
  db: Db,
  ticker: Ticker,
  behind: readonly EvidenceRows[],
): Promise<AddedEvidence[]> {
  const last = await lastBriefEvidence(db, ticker);
  const known = new Set(
    last === null ? [] : (await allEvidence(db, last.evidence)).map((one) => one.accession),
  );
  const added = behind.filter(({ evidence_id }) => !known.has(accessionOf(evidence_id)));
  const sources = await evidenceSources(
    db,
    added.map(({ evidence_id }) => accessionOf(evidence_id)),
  );
  return added.map(({ evidence_id: evidenceId }) => {
    const form = sources.get(accessionOf(evidenceId))?.formType ?? '';
    return { evidenceId, isAmendment: form.endsWith('/A') };
  });
}
