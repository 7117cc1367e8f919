import type { Db } from 'mongodb';
import { reconcileIssuer } from '../derive/insider/writer.ts';
import type { Cik, Ticker } from '../domain/ids.ts';
import { AppError } from '../errors.ts';
import type { UnitResult } from '../store/filing/data-sets.ts';
import { reserveVersions } from '../store/invalidation/invalidations.ts';
import { symbolsOfCik } from '../store/security/securities.ts';
import { inParallel, NO_FOLLOWERS, NO_RESULT } from './unit.ts';

/** Issuers that are reconciled at the same time. */
const AT_ONCE = 4;

/** Reconciles the trades of some issuers, and returns the tickers whose briefs follow. */
export async function computeIssuers(db: Db, issuers: readonly Cik[]): Promise<UnitResult> {
  const versions = await reserveVersions(db, 'insider', issuers);
  const tickers = new Set<Ticker>();
  await inParallel(issuers, AT_ONCE, async (cik) => {
    const version = versions.get(cik);
    if (version === undefined)
      throw new AppError('invalidations_lost', `no version of ${cik}`, { retry: true });
    await reconcileIssuer(db, cik, version);
    for (const symbol of await symbolsOfCik(db, cik)) tickers.add(symbol);
  });
  const followers = { ...NO_FOLLOWERS, tickers: [...tickers].sort() };
  return { ...NO_RESULT, computed: issuers.length, followers };
}
