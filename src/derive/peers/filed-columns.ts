import type { Db } from 'mongodb';
import {
  type FiledQuarter,
  type FiledQuarters,
  type FiledReport,
  filedQuarter,
} from '../../domain/peers/filed-quarter.ts';
import { marketIn } from '../../store/peers/market-prices.ts';
import { type Computed, columnsCache, type SeenReport } from '../../store/report/columns-cache.ts';
import { readFiled } from '../../store/report/filed-reports.ts';
import { type PeersInputs, SIDES } from './input.ts';

const overQuarters = columnsCache<SeenReport, FiledReport, FiledQuarter>({
  emptyQuarter: filedQuarter,
  read: (db, quarterEnd, reports) =>
    readFiled(
      db,
      reports.map(([cik, { digest }]) => ({ cik, quarterEnd, digest })),
    ),
  // Three full quarters, which one computation needs; of smaller ones all whose peers one report is an input of.
  maxRows: 10_000_000,
  minQuarters: 3,
});

/** Computes something from the reports as filed under exactly the digests of the inputs. */
export async function overFiledQuarters<T>(
  db: Db,
  { quarterEnd, quarters, seen, files }: PeersInputs,
  compute: (quarters: FiledQuarters) => T,
): Promise<Computed<T>> {
  const market = await marketIn(db, files);
  const standing = SIDES.map((side) => ({ quarterEnd: quarters[side], reports: seen[side] }));
  return overQuarters(db, standing, (columns, names) => {
    const [prior, current, next] = columns as [FiledQuarter, FiledQuarter, FiledQuarter];
    return compute({ quarterEnd, prior, current, next, market, names });
  });
}
