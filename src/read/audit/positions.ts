import type { Db } from 'mongodb';
import { batches } from '../../domain/group.ts';
import type { Cusip, QuarterEnd } from '../../domain/ids.ts';
import type { Reason } from '../../domain/quality/quality.ts';
import { fractionOf, pctOf } from '../../domain/ratio.ts';
import { reportId } from '../../store/filing/filings.ts';
import { inMotion, readRowsOf, type StoredHolding } from '../../store/report/holdings.ts';
import { quarterReports } from '../../store/report/quarter-reports.ts';
import { tickersByCusip } from '../../store/security/securities.ts';
import { type AuditScope, byAmount, type Section, tally, usd, worstOf } from './tally.ts';

export type Progress = (done: number, total: number) => void;

/** Reports whose rows are in memory together. */
const REPORTS_AT_ONCE = 50;

/** Every position of the one quarter. Memory holds a line for each security. Throws `report_in_motion` (retryable). */
export async function auditPositions(db: Db, { asOf, positionsOf, limit }: AuditScope, progress: Progress) {
  const reasons = tally<Reason>();
  const securities = new Map<Cusip, Held>();
  let [count, done] = [0, 0];
  const reports = positionsOf === null || asOf === null ? [] : await quarterReports(db, positionsOf);
  for (const batch of batches(reports, REPORTS_AT_ONCE)) {
    const own = batch.map((report) => ({
      ...report,
      _id: reportId({ ...report, quarterEnd: positionsOf as QuarterEnd }),
    }));
    const found = await readRowsOf(db, own);
    if (found.size < own.length) throw inMotion('reports');
    const rows = [...found.values()].flat();
    count += rows.length;
    for (const row of rows) {
      reasons.add(new Set(row.quality.reasons), null);
      addHeld(securities, row);
    }
    done += batch.length;
    progress(done, reports.length);
  }
  const sums = securitySums(limit);
  const held = [...securities.values()];
  const cusips = held.filter(({ managers }) => managers > 0).map(({ cusip }) => cusip);
  sums.add(held, asOf === null ? new Map() : await tickersByCusip(db, cusips, asOf));
  return { count, reasons, sections: sums.sections() };
}

/** All positions of one security. A value that other filers' prices contradict is not in the sum. */
type Held = {
  readonly cusip: Cusip;
  readonly issuer: string;
  managers: number;
  cents: bigint;
  splits: number;
};

function addHeld(securities: Map<Cusip, Held>, { cusip, issuer, shares, ...row }: StoredHolding): void {
  const security = securities.get(cusip) ?? { cusip, issuer, managers: 0, cents: 0n, splits: 0 };
  securities.set(cusip, security);
  const { reasons } = row.quality;
  if (reasons.includes('split_suspected')) security.splits += 1;
  if (BigInt(shares) <= 0n) return;
  security.managers += 1;
  if (!reasons.includes('implied_price_outlier')) security.cents += BigInt(row.value_cents);
}

function securitySums(limit: number) {
  const [all, mapped] = [
    { cusips: 0, positions: 0, cents: 0n },
    { cusips: 0, positions: 0, cents: 0n },
  ];
  const byCusip = ({ cusip }: Held): string => cusip;
  const unmapped = worstOf(
    limit,
    byAmount<Held>(({ cents }) => cents, byCusip),
  );
  const splits = worstOf(
    limit,
    byAmount<Held>((held) => BigInt(held.splits), byCusip),
  );
  const row = ({ cusip, issuer, managers, cents }: Held) => ({
    cusip,
    issuer,
    managers,
    value_usd: usd(cents),
  });
  return {
    add(held: readonly Held[], tickers: ReadonlyMap<string, unknown>): void {
      for (const security of held.filter(({ splits: count }) => count > 0)) splits.add(security);
      for (const security of held.filter(({ managers }) => managers > 0)) {
        const hasTicker = tickers.has(security.cusip);
        if (!hasTicker) unmapped.add(security);
        for (const sum of hasTicker ? [all, mapped] : [all]) {
          sum.cusips += 1;
          sum.positions += security.managers;
          sum.cents += security.cents;
        }
      }
    },
    sections: (): Section[] => [
      {
        title: 'CUSIPs without a ticker',
        about: `${mapped.cusips} of ${all.cusips} CUSIPs held as equity have a ticker: ${percent(mapped.cents, all.cents)} of the value of $${usd(all.cents)}, ${percent(BigInt(mapped.positions), BigInt(all.positions))} of the positions.`,
        rows: unmapped.found().worst.map(row),
      },
      {
        title: 'Suspected splits',
        about: `${splits.found().total} securities where a holder's change looks like a split, and the other filers neither confirm nor refute it.`,
        rows: splits.found().worst.map((held) => row({ ...held, managers: held.splits })),
      },
    ],
  };
}

function percent(part: bigint, total: bigint): string {
  return total > 0n ? `${pctOf(fractionOf(part, total))} %` : 'nothing';
}
