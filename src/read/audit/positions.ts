import type { Db } from 'mongodb';
import type { Cusip } from '../../domain/ids.ts';
import type { Reason } from '../../domain/quality/quality.ts';
import { fractionOf, pctOf } from '../../domain/ratio.ts';
import {
  BUCKETS_AT_ONCE,
  type ManagerPosition,
  POSITION_BUCKETS,
  walkPositions,
} from '../../store/report/positions.ts';
import { shownDigests } from '../../store/report/reports.ts';
import { tickersByCusip } from '../../store/security/securities.ts';
import { type AuditScope, type Section, usd } from './section.ts';
import { byAmount, tally, worstOf } from './tally.ts';

export type Progress = (done: number, total: number) => void;

/** Every position of the one quarter, some buckets at a time. */
export async function auditPositions(db: Db, { asOf, positionsOf, limit }: AuditScope, progress: Progress) {
  const reasons = tally<Reason>();
  const sums = securitySums(limit);
  let count = 0;
  const shown = positionsOf === null ? null : await shownDigests(db, positionsOf);
  if (positionsOf !== null && shown !== null && asOf !== null) {
    let done = 0;
    // All positions of a security are in one batch.
    for await (const batch of walkPositions(db, positionsOf, { shown })) {
      count += batch.length;
      for (const position of batch) reasons.add(new Set(position.reasons), null);
      const held = heldBySecurity(batch);
      const cusips = held.filter(({ managers }) => managers > 0).map(({ cusip }) => cusip);
      sums.add(held, await tickersByCusip(db, cusips, asOf));
      done += BUCKETS_AT_ONCE;
      progress(done, POSITION_BUCKETS);
    }
  }
  return { count, reasons, sections: sums.sections() };
}

/** All positions of one security. A value that other filers' prices contradict is not in the sum. */
type Held = { readonly cusip: Cusip; issuer: string; managers: number; cents: bigint; splits: number };

function heldBySecurity(positions: readonly ManagerPosition[]): Held[] {
  const securities = new Map<Cusip, Held>();
  for (const { cusip, issuer, amount, valueCents, reasons } of positions) {
    const security = securities.get(cusip) ?? { cusip, issuer, managers: 0, cents: 0n, splits: 0 };
    securities.set(cusip, security);
    if (reasons.includes('split_suspected')) security.splits += 1;
    if (amount <= 0n) continue;
    security.managers += 1;
    if (!reasons.includes('implied_price_outlier')) security.cents += valueCents;
  }
  return [...securities.values()];
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
    /** Each security once. */
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
