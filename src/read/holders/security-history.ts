import type { Db } from 'mongodb';
import { quartersFollowed } from '../../domain/change/restate.ts';
import { cusipsOf, linkedCusips } from '../../domain/holders/former-cusips.ts';
import type { Cusip, IsoDate, QuarterEnd, Ticker } from '../../domain/ids.ts';
import type { CusipChange, PeerVerdicts } from '../../domain/peers/verdict.ts';
import { nextQuarterEnd, previousQuarterEnd } from '../../domain/quarter.ts';
import { corporateActionsOfQuarters, earlierChanges } from '../../store/peers/corporate-actions.ts';
import { publishedQuarter } from '../../store/publish/corpus.ts';
import { tickersByCusip } from '../../store/security/securities.ts';

/** A security with all that filers said of it and of the CUSIPs that it had before. */
export type SecurityHistory = {
  readonly cusip: Cusip;
  /** Every name that it had in the quarters followed, the present one first. */
  readonly cusips: readonly Cusip[];
  readonly quarters: readonly PeerVerdicts[];
};

/** What filers said in the quarters that reports of the latest quarter depend on. */
export type LatestActions = () => Promise<readonly PeerVerdicts[]>;

/** They are read when one needs them, once for all that a call or a build asks of them. */
export function latestActions(db: Db, latest: QuarterEnd | null): LatestActions {
  let reading: ReturnType<LatestActions> | null = null;
  const read = async () => (latest === null ? [] : actionsBetween(db, { reported: latest, latest }));
  return () => (reading ??= read());
}

/**
 * What is to be known to read reports of `reported`, and of quarters before it, as reports of the
 * security that has the CUSIP in `latest`.
 */
export async function securityHistory(
  db: Db,
  cusip: Cusip,
  { reported, latest }: { readonly reported: QuarterEnd; readonly latest: QuarterEnd },
): Promise<SecurityHistory> {
  return historyAmong(cusip, await actionsBetween(db, { reported, latest }), reported);
}

/** What filers said in the quarters that reports of `reported` depend on, up to `latest`. */
export function actionsBetween(
  db: Db,
  { reported, latest }: { readonly reported: QuarterEnd; readonly latest: QuarterEnd },
): Promise<PeerVerdicts[]> {
  const quarters = quartersFollowed(reported);
  let later = latest;
  while (later > reported) {
    quarters.push(later);
    later = previousQuarterEnd(later);
  }
  return corporateActionsOfQuarters(db, quarters);
}

/** The same among actions of more quarters: those before the ones that `reported` depends on are left out. */
export function historyAmong(
  cusip: Cusip,
  actions: readonly PeerVerdicts[],
  reported: QuarterEnd,
): SecurityHistory {
  const first = quartersFollowed(reported).at(-1) ?? reported;
  const all = actions.filter(({ quarterEnd }) => quarterEnd >= first);
  const names = cusipsOf(cusip, all, { reported, counted: reported });
  const cusips = names.map((name) => name.cusip);
  const known = new Set(cusips);
  return {
    cusip,
    cusips,
    quarters: all.map(({ quarterEnd, corporateActions }) => ({
      quarterEnd,
      corporateActions: corporateActions.filter((action) => known.has(action.cusip)),
    })),
  };
}

/**
 * The CUSIPs and all that are one security with one of them, earlier and later ones, as far as briefs
 * follow its changes: what a report says under one name is in the brief of a ticker that the sources
 * may know by another.
 */
export async function relatedCusips(db: Db, quarterEnd: QuarterEnd | null, cusips: readonly Cusip[]) {
  const published = await publishedQuarter(db);
  const [latest = null] = [published, quarterEnd]
    .flatMap((end) => end ?? [])
    .sort()
    .reverse();
  return latest === null ? [...cusips] : linkedCusips(cusips, await changesUpTo(db, latest));
}

/**
 * The tickers of CUSIPs; of one that no source names, the ticker of the same security under its other
 * CUSIPs, where the latest quarters' filers proved that and it is one ticker.
 */
export async function tickersThroughChanges(db: Db, cusips: readonly Cusip[], asOf: IsoDate) {
  return withTickersThroughChanges(db, await tickersByCusip(db, cusips, asOf), { cusips, asOf });
}

type Asked = { readonly cusips: readonly Cusip[]; readonly asOf: IsoDate };

/** The same where the tickers that sources name are known. */
export async function withTickersThroughChanges(
  db: Db,
  named: ReadonlyMap<Cusip, Ticker>,
  { cusips, asOf }: Asked,
): Promise<Map<Cusip, Ticker>> {
  const tickers = new Map(named);
  const latest = await publishedQuarter(db);
  const changes = latest === null ? [] : await changesUpTo(db, latest);
  const changed = new Set(changes.flatMap(({ cusip, from }) => [cusip, from]));
  const others = new Map(
    cusips
      .filter((cusip) => changed.has(cusip) && !tickers.has(cusip))
      .map((cusip) => [cusip, linkedCusips([cusip], changes)]),
  );
  if (others.size === 0) return tickers;
  const known = await tickersByCusip(db, [...new Set([...others.values()].flat())], asOf);
  for (const [cusip, names] of others) {
    const found = new Set(names.flatMap((name) => known.get(name) ?? []));
    const [ticker] = found;
    if (ticker !== undefined && found.size === 1) tickers.set(cusip, ticker);
  }
  return tickers;
}

function changesUpTo(db: Db, latest: QuarterEnd): Promise<readonly CusipChange[]> {
  return earlierChanges(db, nextQuarterEnd(latest));
}
