import type { Db } from 'mongodb';
import { asOfDate } from '../../domain/calendar.ts';
import { LAST_LANE } from '../../domain/filing/lane.ts';
import type { Accession, Cik, IsoDate } from '../../domain/ids.ts';
import { filingsIn, reportIdOf } from '../../store/filing/filings.ts';
import {
  endTurn,
  publishAsOf,
  publishedAsOf,
  startTurn,
  turnStartedFrom,
} from '../../store/filing/settings.ts';
import { invalidate } from '../../store/invalidation/invalidate.ts';
import { invalidateNaming, namedByIssuer } from '../../store/invalidation/named-filings.ts';

/** Whether the day may be an earlier one than the published day. */
type Turn = { readonly mayGoBack: boolean };

/**
 * Publishes another "today". Of two workers whose clocks differ the later day stands (rule 1.3). Filings between
 * the two days become visible or invisible, so their reports are folded again and the trades of their issuers
 * reconciled. The day that the turn started from is stored until these are invalidated, so that a crash in
 * between only repeats it. Returns the day that was published before; null before the first one.
 */
export async function turnAsOf(db: Db, today: IsoDate, { mayGoBack }: Turn): Promise<IsoDate | null> {
  const shown = await publishedAsOf(db);
  if (shown === null) {
    await publishAsOf(db, today);
    return null;
  }
  const asOf = mayGoBack || today > shown ? today : shown;
  if (asOf !== shown) {
    await startTurn(db, shown);
    // Another worker turned the day. The next dispatch looks again.
    if (!(await publishAsOf(db, asOf, shown))) return shown;
  }
  // The end of another worker's turn may have removed the start of this one.
  const from = (await turnStartedFrom(db)) ?? (asOf === shown ? null : shown);
  if (from === null) return shown;
  const days = [from, shown, asOf].sort();
  const moved = await movedBetween(db, days[0] as IsoDate, days[2] as IsoDate);
  await invalidate(db, 'report', moved.reports);
  // Filings that become invisible leave no trace of what they had decided, so their issuers are read whole.
  if (from <= shown && shown <= asOf) await invalidateNaming(db, LAST_LANE, moved.forms);
  else await invalidate(db, 'insider', moved.forms.keys());
  await endTurn(db);
  return shown;
}

/** Of a worker or a command: the day of its setting, where it has one. */
type Clock = {
  readonly db: Db;
  readonly config: { readonly asOf?: IsoDate | undefined };
  readonly now: () => Date;
};

/** {@link turnAsOf} to the day of the setting, else of the clock in New York, which never turns it back. */
export function turnToday({ db, config, now }: Clock): Promise<IsoDate | null> {
  const day = asOfDate(config.asOf ?? null, now().getTime());
  return turnAsOf(db, day, { mayGoBack: config.asOf !== undefined });
}

/** The published as-of date; the first job that asks for it publishes it. */
export async function today(clock: Clock): Promise<IsoDate> {
  const published = await publishedAsOf(clock.db);
  if (published !== null) return published;
  await turnToday(clock);
  return today(clock);
}

/** Reports, and issuers with their forms, of which a filing is dated after the earlier date, up to the later one. */
async function movedBetween(db: Db, one: IsoDate, other: IsoDate) {
  const [earlier, later] = one < other ? [one, other] : [other, one];
  const moved = filingsIn(db).find(
    { filedDate: { $gt: earlier, $lte: later } },
    { projection: { followers: 1, cik: 1, issuerCik: 1, 'content.kind': 1, 'content.quarterEnd': 1 } },
  );
  const reports = new Set<string>();
  const forms: [Cik, Accession][] = [];
  for await (const filing of moved) {
    const { followers, issuerCik } = filing;
    const report = reportIdOf(filing);
    if (report !== null && followers.includes('report')) reports.add(report);
    if (issuerCik !== null && followers.includes('insider')) forms.push([issuerCik, filing._id]);
  }
  return { reports, forms: namedByIssuer(forms) };
}
