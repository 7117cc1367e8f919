import type { Db } from 'mongodb';
import { canonicalJson, sha256Hex } from '../../domain/canonical.ts';
import type { Cik, QuarterEnd } from '../../domain/ids.ts';
import { nextQuarterEnd, previousQuarterEnd } from '../../domain/quarter.ts';
import { inLists } from '../../store/mongo/lists.ts';
import { type MarketFiles, marketFilesOf } from '../../store/peers/market-prices.ts';
import type { SeenReport } from '../../store/report/columns-cache.ts';
import { quarterReports } from '../../store/report/quarter-reports.ts';
import { reportsIn } from '../../store/report/reports.ts';

/** Raise it when equal reports get other answers: then every quarter is computed again. */
export const PEERS_METHOD = 'peers.v10';

export const SIDES = ['prior', 'current', 'next'] as const;
type Side = (typeof SIDES)[number];

/** What the peers of a quarter are computed from: the quarter itself, the one before and the one after. */
export type PeersInputs = {
  readonly quarterEnd: QuarterEnd;
  readonly quarters: Readonly<Record<Side, QuarterEnd>>;
  /** The digest of each report as filed, notices included, in order of CIK. */
  readonly seen: Readonly<Record<Side, ReadonlyMap<Cik, SeenReport>>>;
  /** Managers that filed any 13F for a quarter before `prior`, notices included. */
  readonly earlierFilers: ReadonlySet<Cik>;
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
  const newcomers = [...current.keys()].filter((cik) => !prior.has(cik));
  // Without reports of the quarter before, no positions can have been taken over.
  const earlierFilers = prior.size === 0 ? [] : await filersBefore(db, newcomers, quarters.prior);
  const filed = [prior, current, next].map((side) => [...side].map(([cik, { digest }]) => [cik, digest]));
  return {
    quarterEnd,
    quarters,
    seen: { prior, current, next },
    earlierFilers: new Set(earlierFilers),
    files,
    digest: sha256Hex(canonicalJson([PEERS_METHOD, filed, earlierFilers, files])),
  };
}

async function digestsFiled(db: Db, quarterEnd: QuarterEnd): Promise<Map<Cik, SeenReport>> {
  const reports = await quarterReports(db, quarterEnd);
  return new Map(
    reports.map(({ cik, filedDigest, holdingsCount }) => [cik, { digest: filedDigest, rows: holdingsCount }]),
  );
}

async function filersBefore(db: Db, ciks: readonly Cik[], quarterEnd: QuarterEnd): Promise<Cik[]> {
  const found = new Set<Cik>();
  for (const cik of inLists(ciks)) {
    const earlier = { cik, quarterEnd: { $lt: quarterEnd } };
    const docs = await reportsIn(db)
      .find(earlier, { projection: { cik: 1 } })
      .toArray();
    for (const doc of docs) found.add(doc.cik);
  }
  return [...found].sort();
}
