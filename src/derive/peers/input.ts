import type { Db } from 'mongodb';
import { canonicalJson, sha256Hex } from '../../domain/canonical.ts';
import type { Cik, QuarterEnd } from '../../domain/ids.ts';
import { nextQuarterEnd, previousQuarterEnd } from '../../domain/quarter.ts';
import { type MarketFiles, marketFilesOf } from '../../store/peers/market-prices.ts';
import type { SeenReport } from '../../store/report/columns-cache.ts';
import { quarterReports } from '../../store/report/quarter-reports.ts';

/** Raise it when equal reports get other answers: then every quarter is computed again. */
export const PEERS_METHOD = 'peers.v15';

export const SIDES = ['prior', 'current', 'next'] as const;
type Side = (typeof SIDES)[number];

/** What the peers of a quarter are computed from: the quarter itself, the one before and the one after. */
export type PeersInputs = {
  readonly quarterEnd: QuarterEnd;
  readonly quarters: Readonly<Record<Side, QuarterEnd>>;
  /** The digest of each report as filed, notices included, in order of CIK. */
  readonly seen: Readonly<Record<Side, ReadonlyMap<Cik, SeenReport>>>;
  /** Files with the daily prices of the quarter. */
  readonly files: MarketFiles;
  /** Of all this: nothing that is concluded from the reports is in it. */
  readonly digest: string;
};

export async function peersInputs(db: Db, quarterEnd: QuarterEnd): Promise<PeersInputs> {
  const quarters = {
    prior: previousQuarterEnd(quarterEnd),
    current: quarterEnd,
    next: nextQuarterEnd(quarterEnd),
  };
  const [prior, current, next, files] = await Promise.all([
    digestsFiled(db, quarters.prior),
    digestsFiled(db, quarters.current),
    digestsFiled(db, quarters.next),
    marketFilesOf(db, quarterEnd),
  ]);
  const filed = [prior, current, next].map((side) => [...side].map(([cik, { digest }]) => [cik, digest]));
  return {
    quarterEnd,
    quarters,
    seen: { prior, current, next },
    files,
    digest: sha256Hex(canonicalJson([PEERS_METHOD, filed, files])),
  };
}

async function digestsFiled(db: Db, quarterEnd: QuarterEnd): Promise<Map<Cik, SeenReport>> {
  const reports = await quarterReports(db, quarterEnd);
  return new Map(
    reports.map(({ cik, filedDigest, holdingsCount }) => [cik, { digest: filedDigest, rows: holdingsCount }]),
  );
}
