import type { Db } from 'mongodb';
import type { Cik, Cusip, IsoDate, QuarterEnd, Ticker } from '../../domain/ids.ts';
import { resolveSecurity } from '../../domain/security/resolve.ts';
import { AppError } from '../../errors.ts';
import { publishedCorpus } from '../../store/publish/corpus.ts';
import { positions } from '../../store/report/positions.ts';
import { reportsOfQuarter } from '../../store/report/reports.ts';
import { mappingsOf } from '../../store/security/securities.ts';

/** What is asked to be audited. */
export type AuditRequest = {
  readonly quarterEnd: QuarterEnd | null;
  readonly ticker: Ticker | null;
  /** Of each list. */
  readonly limit: number;
};

/** The part of the store that an audit looks at. */
export type AuditScope = AuditRequest & {
  /** Null before the first ingestion has finished: then no position is looked at. */
  readonly asOf: IsoDate | null;
  /** The quarter whose positions are read: the one asked for, else the latest reported one. */
  readonly positionsOf: QuarterEnd | null;
  readonly security: { readonly cusip: Cusip | null; readonly issuerCik: Cik | null } | null;
  /** With a security, those whose report of that quarter holds or held it. */
  readonly managers: ReadonlySet<Cik> | null;
};

/** Throws `ticker_unresolved` when the ticker stands for nothing or for several. */
export async function auditScope(db: Db, request: AuditRequest): Promise<AuditScope> {
  const corpus = (await publishedCorpus(db))?.corpus ?? null;
  const asOf = corpus?.asOf ?? null;
  const latest = corpus?.state.latestReportedQuarterEnd ?? null;
  const positionsOf = asOf === null ? null : (request.quarterEnd ?? latest);
  const scope = { ...request, asOf, positionsOf, security: null, managers: null };
  if (request.ticker === null) return scope;
  const security = await securityOf(db, request.ticker, asOf);
  const held = await positionsShown(db, security.cusip, positionsOf);
  return { ...scope, security, managers: new Set(held.map(({ cik }) => cik)) };
}

async function securityOf(db: Db, ticker: Ticker, asOf: IsoDate | null) {
  const resolution = asOf === null ? null : resolveSecurity(ticker, await mappingsOf(db, [ticker]), asOf);
  if (resolution?.kind !== 'resolved') {
    const why = resolution?.kind === 'ambiguous' ? 'stands for several securities' : 'is not known';
    throw new AppError('ticker_unresolved', `the ticker ${ticker} ${why}`);
  }
  return { cusip: resolution.cusip, issuerCik: resolution.issuerCik };
}

/** One security's positions of a quarter, of the digests that the reports show. */
export async function positionsShown(db: Db, cusip: Cusip | null, quarterEnd: QuarterEnd | null) {
  if (cusip === null || quarterEnd === null) return [];
  const found = await positions.ofSecurity(db, cusip, quarterEnd);
  const ciks = found.map(({ cik }) => cik);
  const reports = await reportsOfQuarter(db, quarterEnd, ciks);
  return found.filter(({ cik, digest }) => reports.get(cik)?.digest === digest);
}
