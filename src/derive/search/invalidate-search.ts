import type { Db } from 'mongodb';
import type { Cusip, QuarterEnd, Ticker } from '../../domain/ids.ts';
import { relatedCusips } from '../../read/holders/security-history.ts';
import type { ReportKey } from '../../store/filing/filings.ts';
import { invalidate } from '../../store/invalidation/invalidate.ts';
import { knownKeys } from '../../store/invalidation/invalidation.ts';
import { partOfFund, partOfSecurity, SECURITY_PARTS } from '../../store/publish/search-index.ts';
import { cusipsOfSymbols } from '../../store/security/securities.ts';

type Moved = {
  readonly key: ReportKey;
  /** Null for a withdrawn report: its securities are not known any more, so all count. */
  readonly shares: readonly Cusip[] | null;
  readonly before: readonly QuarterEnd[];
};

/**
 * Invalidates what reports change in the search: the entries of their managers, and the holders of the
 * securities that they show or showed. The manager's reports before each count too, because one is carried
 * forward only while it is the last one.
 */
export async function invalidateSearchOfReports(db: Db, reports: readonly Moved[]): Promise<void> {
  const ciks = [...new Set(reports.map(({ key }) => key.cik))];
  await invalidate(db, 'search', ciks.map(partOfFund));
  const keys = reports.flatMap(({ key, shares, before }) => {
    const parts = [...new Set(shares?.map(partOfSecurity) ?? SECURITY_PARTS)];
    return [key.quarterEnd, ...before].flatMap((quarter) => parts.map((part) => `${part}|${quarter}`));
  });
  await invalidate(db, 'holders', keys);
}

/**
 * Invalidates the securities that a statement about these symbols may give another ticker: those that
 * sources name so, and those that are the same security under another CUSIP.
 */
export async function invalidateSearchOfSymbols(db: Db, symbols: readonly Ticker[]): Promise<void> {
  const named = await cusipsOfSymbols(db, symbols);
  await invalidateSearchOfCusips(db, await relatedCusips(db, null, named));
}

/** Invalidates the securities whose tickers a change of CUSIP may give on. */
export async function invalidateSearchOfCusips(db: Db, cusips: readonly Cusip[]): Promise<void> {
  await invalidate(db, 'search', cusips.map(partOfSecurity));
}

/** Invalidates every entry: the day of tickers and last reports changed, or many statements came at once. */
export async function invalidateWholeSearch(db: Db): Promise<void> {
  await invalidate(db, 'search', await knownKeys(db, 'search'));
}
