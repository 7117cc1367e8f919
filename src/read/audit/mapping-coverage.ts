import type { Db } from 'mongodb';
import type { Cusip, IsoDate, QuarterEnd, Ticker } from '../../domain/ids.ts';
import { quartersThrough } from '../../domain/quarter.ts';
import { walkPositions } from '../../store/report/positions.ts';
import { shownDigests } from '../../store/report/reports.ts';
import { tickersByCusip } from '../../store/security/securities.ts';
import type { AuditScope } from './scope.ts';
import { heldBySecurity, percentOf } from './security-sums.ts';
import type { Audit } from './shape.ts';

type Line = Audit['mapping_coverage'][number];

/**
 * How much of what managers hold has a ticker, for the newest quarters up to the limit, or for the quarter
 * asked for. A quarter without positions has no line, and one security has none either. The tickers of a
 * CUSIP are looked up once for all quarters.
 */
export async function auditMappingCoverage(db: Db, scope: AuditScope): Promise<Line[]> {
  const { asOf, positionsOf, quarterEnd, security, limit } = scope;
  if (asOf === null || positionsOf === null || security !== null) return [];
  const quarters = quartersThrough(positionsOf, quarterEnd === null ? limit : 1).reverse();
  const tickersOf = tickerLookUp(db, asOf);
  const lines: Line[] = [];
  for (const quarter of quarters) {
    const line = await lineOf(db, quarter, tickersOf);
    if (line.cusips > 0) lines.push(line);
  }
  return lines;
}

type Tickers = ReadonlyMap<Cusip, Ticker | null>;
type LookUp = (cusips: readonly Cusip[]) => Promise<Tickers>;

function tickerLookUp(db: Db, asOf: IsoDate): LookUp {
  const known = new Map<Cusip, Ticker | null>();
  return async (cusips) => {
    const fresh = cusips.filter((cusip) => !known.has(cusip));
    const found = await tickersByCusip(db, fresh, asOf);
    for (const cusip of fresh) known.set(cusip, found.get(cusip) ?? null);
    return known;
  };
}

async function lineOf(db: Db, quarterEnd: QuarterEnd, tickersOf: LookUp): Promise<Line> {
  const all = { cusips: 0, positions: 0, valueCents: 0n };
  const mapped = { cusips: 0, positions: 0, valueCents: 0n };
  const shown = await shownDigests(db, quarterEnd);
  // All positions of a security are in one batch.
  for await (const batch of walkPositions(db, quarterEnd, { shown })) {
    const held = heldBySecurity(batch).filter(({ managers }) => managers > 0);
    const tickers = await tickersOf(held.map(({ cusip }) => cusip));
    for (const { cusip, managers, valueCents } of held) {
      for (const sum of (tickers.get(cusip) ?? null) === null ? [all] : [all, mapped]) {
        sum.cusips += 1;
        sum.positions += managers;
        sum.valueCents += valueCents;
      }
    }
  }
  return {
    quarter_end: quarterEnd,
    cusips: all.cusips,
    mapped_cusips: mapped.cusips,
    positions: all.positions,
    mapped_positions: mapped.positions,
    mapped_positions_pct: percentOf(BigInt(mapped.positions), BigInt(all.positions)),
    value_cents: all.valueCents.toString(),
    mapped_value_cents: mapped.valueCents.toString(),
    mapped_value_pct: percentOf(mapped.valueCents, all.valueCents),
  };
}
