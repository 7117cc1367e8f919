import type { Db } from 'mongodb';
import { correctionOf } from '../../domain/brief/correction.ts';
import type { Ticker } from '../../domain/ids.ts';
import type { Brief } from '../../domain/wire/brief.ts';
import { reparsedAt } from '../../store/filing/settings.ts';
import { lastBriefBut } from '../../store/publish/briefs.ts';
import { noteCorrection } from '../../store/publish/corrections.ts';
import { keepBriefs } from '../../store/publish/kept-briefs.ts';

/**
 * Notes that the brief corrects the one that its ticker shows, when it does (rule 8.9). Call it before the
 * brief is shown, so that a crash in between loses no correction. Returns whether it noted one.
 */
export async function noteCorrectionBy(db: Db, ticker: Ticker, brief: Brief): Promise<boolean> {
  const last = await lastBriefBut(db, ticker, brief.brief_id);
  if (last === null) return false;
  const before = (JSON.parse(last.text) as { data: Brief }).data;
  const reparsed = await reparsedAt(db);
  const correction = correctionOf(before, brief, reparsed !== null && reparsed >= last.at);
  if (correction === null) return false;
  const { brief_id: _id, generated_at: at } = brief;
  await keepBriefs(db, [before.brief_id, _id]);
  await noteCorrection(db, { _id, ticker, from: before.brief_id, at, ...correction });
  return true;
}
