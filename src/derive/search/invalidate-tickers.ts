import type { Db } from 'mongodb';
import type { Cik, Ticker } from '../../domain/ids.ts';
import type { ReportKey } from '../../store/filing/filings.ts';
import { invalidate, invalidationsIn } from '../../store/invalidation/invalidations.ts';
import {
  isSecurityPart,
  partOfFund,
  partOfSecurity,
  SEARCH_PARTS,
} from '../../store/publish/search-parts.ts';
import { reportsIn } from '../../store/report/reports.ts';
import { cusipsOfSymbols } from '../../store/security/securities.ts';
import { noteMember } from './entries.ts';

/**
 * Marks what a report changes in the search: its manager's line, and who holds the securities that
 * it shows or showed. Of a report that was withdrawn these are not known: then all of the quarter.
 * So is the manager's report before it, which is carried forward only as long as it is the last.
 */
export async function invalidateSearchOfReport(
  db: Db,
  { cik, quarterEnd }: ReportKey,
  cusips: readonly string[] | null,
): Promise<void> {
  await invalidateSearchOfFund(db, cik);
  const parts = cusips === null ? SEARCH_PARTS.filter(isSecurityPart) : cusips.map(partOfSecurity);
  const before = await reportsIn(db)
    .find({ cik, quarterEnd: { $lt: quarterEnd } }, { projection: { quarterEnd: 1 } })
    .sort({ quarterEnd: -1 })
    .limit(1)
    .next();
  const quarters = [quarterEnd, ...(before === null ? [] : [before.quarterEnd])];
  await invalidate(
    db,
    'holders',
    quarters.flatMap((quarter) => parts.map((part) => `${part}|${quarter}`)),
  );
}

export async function invalidateSearchOfFund(db: Db, cik: Cik): Promise<void> {
  await noteMember(db, cik);
  await invalidate(db, 'search', [partOfFund(cik)]);
}

/** Marks the securities that a statement about these symbols may give another ticker. */
export async function invalidateSearchOfSymbols(db: Db, symbols: readonly Ticker[]): Promise<void> {
  const cusips = await cusipsOfSymbols(db, symbols);
  await invalidate(db, 'search', cusips.map(partOfSecurity));
}

/** Marks every security: the day of their tickers changed, or many statements came at once. */
export async function invalidateSearchOfTickers(db: Db): Promise<void> {
  const parts = await invalidationsIn(db).distinct('key', { kind: 'search' });
  await invalidate(db, 'search', parts.filter(isSecurityPart));
}
