import type { Db } from 'mongodb';
import type { Cusip, Ticker } from '../../domain/ids.ts';
import { relatedCusips } from '../../read/holders/security-history.ts';
import type { ReportKey } from '../../store/filing/filings.ts';
import { invalidate, knownKeys } from '../../store/invalidation/invalidations.ts';
import {
  isSecurityPart,
  partOfFund,
  partOfSecurity,
  SECURITY_PARTS,
} from '../../store/publish/search-index.ts';
import { reportBefore } from '../../store/report/reports.ts';
import { cusipsOfSymbols } from '../../store/security/securities.ts';
import { noteMembers } from './entries.ts';

/**
 * Invalidates what a report changes in the search: its manager's entry, and the holders of the
 * securities that it shows or showed. The manager's report before it counts too, because it is carried
 * forward only while it is the last one.
 * @param cusips null for a withdrawn report: its securities are not known any more, so all count
 */
export async function invalidateSearchOfReport(db: Db, key: ReportKey, cusips: readonly Cusip[] | null) {
  await noteMembers(db, [key.cik]);
  await invalidate(db, 'search', [partOfFund(key.cik)]);
  const parts = cusips?.map(partOfSecurity) ?? SECURITY_PARTS;
  const before = await reportBefore(db, key);
  const quarters = [key.quarterEnd, ...(before === null ? [] : [before.quarterEnd])];
  const keys = quarters.flatMap((quarter) => parts.map((part) => `${part}|${quarter}`));
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

/** Invalidates every security: the day of their tickers changed, or many statements came at once. */
export async function invalidateSearchOfTickers(db: Db): Promise<void> {
  await invalidate(db, 'search', (await knownKeys(db, 'search')).filter(isSecurityPart));
}
