import type { Db } from 'mongodb';
import { groupBy } from '../../domain/group.ts';
import { type Period, silentIn } from '../../domain/holders/institutional.ts';
import type { Cik, Cusip, IsoDate, QuarterEnd } from '../../domain/ids.ts';
import { previousQuarterEnd } from '../../domain/quarter.ts';
import { type UnreadReport, unreadReports } from '../../store/filing/failures.ts';
import type { Publication } from '../../store/publish/corpus.ts';
import type { LateManager } from '../../store/report/last-held.ts';
import { reportsOfQuarter } from '../../store/report/reports.ts';
import { readAmong } from './shown.ts';

type Late = { readonly cusips: readonly Cusip[]; readonly late: readonly LateManager[] };

/** Those for the two quarters that a brief compares, and for later ones. */
export async function unreadSince(db: Db, { corpus }: Publication, { cusips, late }: Late) {
  const latest = corpus.state.latestReportedQuarterEnd;
  if (latest === null) return [];
  return unreadOfHolders(db, { cusips, since: previousQuarterEnd(latest), asOf: corpus.asOf, late });
}

/** The managers that count in no figure of a quarter because nothing of them is stored for it, by their last quarters. */
export function stoppedBefore(
  quarterEnd: QuarterEnd,
  { late, unread }: { readonly late: readonly LateManager[]; readonly unread: readonly UnreadReport[] },
): Period[] {
  return silentIn(quarterEnd, { late: late.filter((one) => one.reportedThrough < quarterEnd), unread });
}

type Asked = {
  readonly cusips: readonly Cusip[];
  /** Filings for this quarter and later ones. */
  readonly since: QuarterEnd;
  readonly asOf: IsoDate;
  /** Managers that hold the security by older reports: what they filed after these may show it. */
  readonly late?: readonly LateManager[];
};

/**
 * The 13F filings that cannot be read, of managers that hold the security by what can be read of the same quarter
 * or of the one before. They were filed, so no answer may say that nothing was (rule 8.4).
 */
export async function unreadOfHolders(db: Db, asked: Asked): Promise<UnreadReport[]> {
  const { cusips, since, asOf, late = [] } = asked;
  const filed = (await unreadReports(db, { since, asOf })).filter(({ quarterEnd }) => quarterEnd >= since);
  const lastTables = new Map(late.map((one) => [one.cik, one.quarterEnd]));
  const found: UnreadReport[] = [];
  for (const [quarterEnd, own] of groupBy(filed, (one) => one.quarterEnd)) {
    const ciks = [...new Set(own.map(({ cik }) => cik))];
    const held = await holdersAround(db, { cusips, quarterEnd, ciks });
    const isBehind = (cik: Cik) => (lastTables.get(cik) ?? quarterEnd) < quarterEnd;
    found.push(...own.filter(({ cik }) => isBehind(cik) || held.has(cik)));
  }
  return found.sort((a, b) => (a.accession < b.accession ? -1 : 1));
}

type Around = {
  readonly cusips: readonly Cusip[];
  readonly quarterEnd: QuarterEnd;
  readonly ciks: readonly Cik[];
};

/** Those that report the security for the quarter, sold or held, or held it at the end of the one before. */
async function holdersAround(db: Db, { cusips, quarterEnd, ciks }: Around): Promise<Set<Cik>> {
  const quarters = [quarterEnd, previousQuarterEnd(quarterEnd)];
  const shown = await Promise.all(
    quarters.map(async (quarter) =>
      readAmong(db, { cusips, reports: await reportsOfQuarter(db, quarter, ciks) }),
    ),
  );
  const holding = shown
    .flat()
    .filter(({ position }) => position.quarterEnd === quarterEnd || position.amount > 0n);
  return new Set(holding.map(({ position }) => position.cik));
}
