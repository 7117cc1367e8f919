import type { Binary, Db } from 'mongodb';
import type { QuarterEnd, Ticker } from '../../domain/ids.ts';
import { rememberingPrices, withDailyPrices } from '../../domain/insider/price.ts';
import { NO_MARKET } from '../../domain/market/market.ts';
import {
  type FiledQuarter,
  type FiledQuarters,
  type FiledReport,
  filedQuarter,
} from '../../domain/peers/filed-quarter.ts';
import { rememberingPeers } from '../../domain/peers/peers.ts';
import { invalidate } from '../../store/invalidation/invalidate.ts';
import { digestOf, pack, unpack } from '../../store/mongo/pack.ts';
import { insertOrLose } from '../../store/mongo/write.ts';
import { encodeVerdicts, packVerdicts, unpackVerdicts } from '../../store/peers/answers.ts';
import {
  CORPORATE_ACTION,
  type PeerVerdictsDoc,
  packCorporateActions,
  peerVerdictsIn,
  unpackCorporateActions,
} from '../../store/peers/corporate-actions.ts';
import { marketIn } from '../../store/peers/market-prices.ts';
import { changedPrices, packPrices, type QuarterPrices } from '../../store/peers/quarter-prices.ts';
import { type Computed, columnsCache, type SeenReport } from '../../store/report/columns-cache.ts';
import { readFiled } from '../../store/report/filed-reports.ts';
import { hasReports } from '../../store/report/reports.ts';
import { type Answers, type Changed, changesBetween, isNothing, joinChanges, NO_CHANGE } from './changes.ts';
import { type PeersInputs, peersInputs, SIDES } from './input.ts';
import { invalidatePeersFollowers, invalidatePricedBriefs } from './peers-followers.ts';

/** `moved_on`: another worker wrote, or reports were replaced before they were read. Compute it again. */
type Refreshed =
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'moved_on' }
  | { readonly kind: 'written'; readonly reports: readonly string[]; readonly tickers: readonly Ticker[] };

/**
 * Computes the peers of a quarter again, unless its reports as filed are those of the last time.
 *
 * The rounds end. The digest of a report as filed is a function of its filings and the official lists
 * alone, and so is the digest of the inputs. What is written here invalidates reports; they are
 * compared again with the same digests, which invalidates no peers.
 * So a filing costs one computation for each quarter that it is an input of, of what changed with it.
 *
 * A crash loses nothing. Content and pending changes are one write, and the digest of the inputs is
 * written only after everything that follows was invalidated. Until then the next run repeats it.
 * @param version of the invalidation that was read before
 */
export async function refreshPeers(
  db: Db,
  quarterEnd: QuarterEnd,
  { version, at }: { readonly version: number; readonly at: string },
): Promise<Refreshed> {
  const before = await peerVerdictsIn(db).findOne({ _id: quarterEnd });
  // At each report of the latest quarter this is asked of the one after it.
  if (before === null && !(await hasReports(db, quarterEnd))) return { kind: 'unchanged' };
  const inputs = await peersInputs(db, quarterEnd);
  if (before?.inputsDigest === inputs.digest) return { kind: 'unchanged' };
  if (before !== null && Number(before.invalidationVersion) > version) return { kind: 'moved_on' };
  const computed = await overFiledQuarters(db, inputs, peersAndPrices);
  if (computed.kind === 'incomplete') {
    // Replaced before they were read, or lost in a crash: their reports write them again.
    await invalidate(db, 'report', computed.reports);
    return { kind: 'moved_on' };
  }
  const { peers, verdicts, prices } = computed.answer;
  const answers = { corporateActions: peers.corporateActions, verdicts };
  const digest = digestOf([answers.corporateActions.map(CORPORATE_ACTION.encode), encodeVerdicts(verdicts)]);
  // Most reports change no answer. Then what is stored stays, neither unpacked nor packed again.
  const same = before?.digest === digest ? before : null;
  const changed = joinChanges(
    before?.pendingChanges ? unpack<Changed>(before.pendingChanges) : NO_CHANGE,
    same ? NO_CHANGE : changesBetween(answersOf(before), answers),
  );
  const repriced = changedPrices(before, prices);
  const doc: PeerVerdictsDoc = {
    _id: quarterEnd,
    version: Number(before?.version ?? 0) + 1,
    invalidationVersion: version,
    inputsDigest: '',
    digest,
    at,
    corporateActions: same?.corporateActions ?? packCorporateActions(answers.corporateActions),
    verdicts: same?.verdicts ?? packVerdicts(verdicts),
    pendingChanges: isNothing(changed) ? null : pack(changed),
    prices: packPrices(prices),
    pendingPrices: packedUnlessEmpty(repriced),
  };
  if (!(await replaceSeen(db, doc, before))) return { kind: 'moved_on' };
  const { reports, tickers } = await invalidatePeersFollowers(db, quarterEnd, changed);
  const priced = await invalidatePricedBriefs(db, quarterEnd, repriced);
  return (await settle(db, doc, inputs.digest))
    ? { kind: 'written', reports, tickers: [...new Set([...tickers, ...priced])] }
    : { kind: 'moved_on' };
}

const packedUnlessEmpty = (items: readonly unknown[]): Binary | null =>
  items.length === 0 ? null : pack(items);

/** Equal prices by reports and equal files have the same answer, which is not made again. */
function dailyPrices() {
  let [known, asked] = [
    null as QuarterPrices | null,
    { prices: null as QuarterPrices | null, market: NO_MARKET },
  ];
  return (prices: QuarterPrices, quarters: FiledQuarters): QuarterPrices => {
    if (known === null || asked.prices !== prices || asked.market !== quarters.market) {
      known = withDailyPrices(prices, quarters);
      asked = { prices, market: quarters.market };
    }
    return known;
  };
}

function peersAndPrices(quarters: FiledQuarters) {
  const { remembered } = quarters.current;
  const result = remembered(rememberingPeers)(quarters);
  const prices = remembered(rememberingPrices)(quarters, result.verdicts);
  return { ...result, prices: remembered(dailyPrices)(prices, quarters) };
}

function answersOf(doc: PeerVerdictsDoc | null): Answers {
  if (doc === null) return { corporateActions: [], verdicts: new Map() };
  return {
    corporateActions: unpackCorporateActions(doc.corporateActions),
    verdicts: unpackVerdicts(doc.verdicts),
  };
}

/** False when another worker wrote since the document was read. */
async function replaceSeen(db: Db, doc: PeerVerdictsDoc, before: PeerVerdictsDoc | null): Promise<boolean> {
  if (before === null) return insertOrLose(peerVerdictsIn(db), doc);
  const { _id, ...fields } = doc;
  const result = await peerVerdictsIn(db).replaceOne({ _id, version: Number(before.version) }, fields);
  return result.matchedCount === 1;
}

/** Notes that everything was invalidated. The journal is in order, so the invalidations are durable too. */
async function settle(db: Db, { _id, version }: PeerVerdictsDoc, inputsDigest: string): Promise<boolean> {
  const result = await peerVerdictsIn(db).updateOne(
    { _id, version },
    { $set: { inputsDigest, pendingChanges: null, pendingPrices: null } },
  );
  return result.matchedCount === 1;
}

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
