import type { Db } from 'mongodb';
import type { Cik, Cusip, QuarterEnd } from '../../domain/ids.ts';
import type { Reason } from '../../domain/quality/quality.ts';
import { fractionOf, pctOf } from '../../domain/ratio.ts';
import {
  bucketName,
  type ManagerPosition,
  POSITION_BUCKETS,
  positionsOfBuckets,
} from '../../store/report/positions.ts';
import { reportsIn } from '../../store/report/reports.ts';
import { tickersByCusip } from '../../store/security/securities.ts';
import { type AuditScope, positionsShown } from './scope.ts';
import type { Audit } from './shape.ts';
import { type Tally, tally } from './tally.ts';
import { byAmount, worstOf } from './worst.ts';

export type PositionsAudit = Pick<Audit, 'unmapped_cusips' | 'splits_suspected'> & {
  readonly positions: number;
  readonly reasons: Tally<Reason>;
};

export type Progress = (done: number, total: number) => void;

/** Slices read at once: what is in memory is this part of a quarter's positions. */
const BUCKETS_AT_ONCE = 16;

/** Every position of the one quarter, slice by slice; with a security, its slice alone. */
export async function auditPositions(db: Db, scope: AuditScope, progress: Progress): Promise<PositionsAudit> {
  const reasons = tally<Reason>();
  const sums = securitySums(db, scope);
  let positions = 0;
  const take = async (batch: readonly ManagerPosition[]): Promise<void> => {
    positions += batch.length;
    for (const position of batch) reasons.add(new Set(position.reasons), null);
    await sums.add(batch);
  };
  if (scope.security !== null) await take(await positionsShown(db, scope.security.cusip, scope.positionsOf));
  else if (scope.positionsOf !== null) {
    const shown = await digestsShown(db, scope.positionsOf);
    for (let first = 0; first < POSITION_BUCKETS; first += BUCKETS_AT_ONCE) {
      await take(await readSlices(db, { first, quarterEnd: scope.positionsOf, shown }));
      progress(first + BUCKETS_AT_ONCE, POSITION_BUCKETS);
    }
  }
  return { positions, reasons, ...sums.found() };
}

type Slices = {
  readonly first: number;
  readonly quarterEnd: QuarterEnd;
  readonly shown: ReadonlyMap<Cik, string>;
};

async function readSlices(db: Db, { first, quarterEnd, shown }: Slices): Promise<ManagerPosition[]> {
  const buckets = Array.from({ length: BUCKETS_AT_ONCE }, (_, at) => bucketName(first + at));
  const positions: ManagerPosition[] = [];
  for await (const position of positionsOfBuckets(db, buckets, quarterEnd)) {
    if (shown.get(position.cik) === position.digest) positions.push(position);
  }
  return positions;
}

async function digestsShown(db: Db, quarterEnd: QuarterEnd): Promise<Map<Cik, string>> {
  const reports = await reportsIn(db)
    .find({ quarterEnd }, { projection: { cik: 1, digest: 1 } })
    .toArray();
  return new Map(reports.map(({ cik, digest }) => [cik, digest]));
}

type Held = {
  readonly cusip: Cusip;
  issuer: string;
  largest: bigint;
  managers: number;
  valueCents: bigint;
  splitLike: number;
};

/** Values and tickers by security; a value that other filers' prices contradict is left out. */
function securitySums(db: Db, { asOf, positionsOf, limit }: AuditScope) {
  const total = { cusips: 0, valueCents: 0n, mapped: 0, mappedCents: 0n };
  const unmapped = worstOf<Held>(limit, byAmount(centsOf, cusipOf));
  const splits = worstOf<Held>(
    limit,
    byAmount(({ splitLike }) => BigInt(splitLike), cusipOf),
  );
  return {
    async add(batch: readonly ManagerPosition[]): Promise<void> {
      const all = bySecurity(batch);
      for (const security of all) if (security.splitLike > 0) splits.add(security);
      const held = all.filter(({ managers }) => managers > 0);
      const tickers = asOf === null ? new Map() : await tickersByCusip(db, held.map(cusipOf), asOf);
      for (const security of held) {
        total.cusips += 1;
        total.valueCents += security.valueCents;
        if (!tickers.has(security.cusip)) unmapped.add(security);
        else {
          total.mapped += 1;
          total.mappedCents += security.valueCents;
        }
      }
    },
    found: () => ({
      unmapped_cusips: {
        quarter_end: positionsOf,
        cusips: total.cusips,
        value_cents: total.valueCents.toString(),
        mapped_cusips: total.mapped,
        mapped_value_cents: total.mappedCents.toString(),
        mapped_value_pct:
          total.valueCents > 0n ? pctOf(fractionOf(total.mappedCents, total.valueCents)) : null,
        worst: unmapped.first().map(({ cusip, issuer, managers, valueCents }) => ({
          cusip,
          issuer,
          managers,
          value_cents: valueCents.toString(),
        })),
      },
      splits_suspected: {
        total: splits.total(),
        worst: splits.first().map(({ cusip, issuer, splitLike, valueCents }) => ({
          cusip,
          issuer,
          quarter_end: positionsOf ?? '',
          managers: splitLike,
          value_cents: valueCents.toString(),
        })),
      },
    }),
  };
}

const centsOf = ({ valueCents }: Held): bigint => valueCents;
const cusipOf = ({ cusip }: Held): Cusip => cusip;

function bySecurity(batch: readonly ManagerPosition[]): Held[] {
  const securities = new Map<Cusip, Held>();
  for (const { cusip, issuer, amount, valueCents, reasons } of batch) {
    const security = securities.get(cusip) ?? {
      cusip,
      issuer,
      largest: -1n,
      managers: 0,
      valueCents: 0n,
      splitLike: 0,
    };
    securities.set(cusip, security);
    if (reasons.includes('split_suspected')) security.splitLike += 1;
    if (amount <= 0n) continue;
    security.managers += 1;
    if (reasons.includes('implied_price_outlier')) continue;
    security.valueCents += valueCents;
    if (valueCents > security.largest) Object.assign(security, { issuer, largest: valueCents });
  }
  return [...securities.values()];
}
