import type { Db } from 'mongodb';
import type { Cusip, QuarterEnd, Ticker } from '../../domain/ids.ts';
import { type FiledPrice, inDecidedScale, quarterPrice } from '../../domain/insider/price.ts';
import { type PeersResult, peersBuilder } from '../../domain/peers/builder.ts';
import { invalidate } from '../../store/invalidation/invalidations.ts';
import { digestOf } from '../../store/mongo/digest.ts';
import { insertNew, JOURNALED } from '../../store/mongo/insert-new.ts';
import {
  corporateActionToJson,
  type PeerVerdictsDoc,
  packCorporateActions,
  peerVerdictsIn,
  unpackCorporateActions,
} from '../../store/peers/corporate-actions.ts';
import type { QuarterPrices } from '../../store/peers/quarter-prices.ts';
import { packVerdicts, unpackVerdicts, verdictToJson } from '../../store/peers/verdicts.ts';
import {
  type Answers,
  changesBetween,
  isNothing,
  joinChanges,
  NO_CHANGE,
  packChanged,
  unpackChanged,
} from './changes.ts';
import { type FiledQuarters, filedQuarters, readSecurities } from './input.ts';
import { invalidatePeersFollowers } from './invalidate-followers.ts';
import { refreshPrices } from './invalidate-insider-prices.ts';

/** `moved_on`: another worker wrote meanwhile, or rows were replaced while they were read: once more. */
export type Refreshed =
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'moved_on' }
  | { readonly kind: 'written'; readonly reports: readonly string[]; readonly tickers: readonly Ticker[] };

/**
 * Asks the filers of a quarter again, unless their reports as filed are those of the last time.
 *
 * The rounds end: a report's filed digest is a function of its filings and of the official list
 * alone, and so is the digest. What is written here marks reports, which are folded and compared
 * anew with the same digests; they mark this quarter, which finds its digest unchanged and marks
 * nothing. So a filing costs one computation for each quarter that it is an input of, and one look.
 *
 * Nothing is lost in a crash: the content and what follows from it are switched in one write, and
 * the digest is written only after that was marked, so that until then the next run repeats it.
 */
export async function refreshPeers(db: Db, quarterEnd: QuarterEnd, version: number): Promise<Refreshed> {
  const filed = await filedQuarters(db, quarterEnd);
  const before = await peerVerdictsIn(db).findOne({ _id: quarterEnd });
  if (before === null && filed.reports.current.length === 0) return { kind: 'unchanged' };
  if (before?.inputsDigest === filed.digest) return { kind: 'unchanged' };
  if (before !== null && Number(before.invalidationVersion) > version) return { kind: 'moved_on' };
  const { peers, verdicts, prices, incomplete } = await ask(db, filed);
  if (incomplete.length > 0) {
    // Replaced while they were read, or lost in a crash: written again where they are still the ones.
    await invalidate(db, 'report', incomplete);
    return { kind: 'moved_on' };
  }
  const changed = joinChanges(
    before?.pendingChanges ? unpackChanged(before.pendingChanges) : NO_CHANGE,
    changesBetween(answersOf(before), { corporateActions: peers.corporateActions, verdicts }),
  );
  const doc: PeerVerdictsDoc = {
    _id: quarterEnd,
    version: Number(before?.version ?? 0) + 1,
    invalidationVersion: version,
    inputsDigest: '',
    ...contentOf({ corporateActions: peers.corporateActions, verdicts }),
    pendingChanges: isNothing(changed) ? null : packChanged(changed),
  };
  if (!(await replaceSeen(db, doc, before))) return { kind: 'moved_on' };
  const { reports, tickers } = await invalidatePeersFollowers(db, quarterEnd, changed);
  const priced = await refreshPrices(db, quarterEnd, { prices, version: doc.version });
  return (await settle(db, doc, filed.digest))
    ? { kind: 'written', reports, tickers: [...new Set([...tickers, ...priced])] }
    : { kind: 'moved_on' };
}

async function ask(
  db: Db,
  filed: FiledQuarters,
): Promise<PeersResult & { readonly prices: QuarterPrices; readonly incomplete: string[] }> {
  const builder = peersBuilder(filed.reports);
  const asFiled = new Map<Cusip, FiledPrice>();
  const reading = readSecurities(db, filed);
  for await (const security of reading.securities) {
    builder.add(security);
    const price = quarterPrice(security.current);
    if (price !== null) asFiled.set(security.cusip, price);
  }
  const result = builder.finish();
  const decided = [...result.verdicts.values()].flatMap(({ scales }) => scales);
  const scales = new Map(decided.map((scale) => [scale.accession, scale]));
  const prices = new Map([...asFiled].map(([cusip, price]) => [cusip, inDecidedScale(price, scales)]));
  return { ...result, prices, incomplete: reading.incomplete() };
}

function answersOf(doc: PeerVerdictsDoc | null): Answers {
  if (doc === null) return { corporateActions: [], verdicts: new Map() };
  return {
    corporateActions: unpackCorporateActions(doc.corporateActions),
    verdicts: unpackVerdicts(doc.verdicts),
  };
}

function contentOf({
  corporateActions,
  verdicts,
}: Answers): Pick<PeerVerdictsDoc, 'digest' | 'at' | 'corporateActions' | 'verdicts'> {
  return {
    digest: digestOf([
      corporateActions.map(corporateActionToJson),
      [...verdicts].map(([cik, one]) => [cik, verdictToJson(one)]),
    ]),
    at: new Date().toISOString(),
    corporateActions: packCorporateActions(corporateActions),
    verdicts: packVerdicts(verdicts),
  };
}

/** False when the document is not the one that was read any more. */
async function replaceSeen(db: Db, doc: PeerVerdictsDoc, before: PeerVerdictsDoc | null): Promise<boolean> {
  if (before === null) return (await insertNew(peerVerdictsIn(db), [doc], JOURNALED)).length === 1;
  const { _id, ...fields } = doc;
  const result = await peerVerdictsIn(db).replaceOne({ _id, version: Number(before.version) }, fields);
  return result.matchedCount === 1;
}

/** Notes that everything was marked: the marks are durable with this write, because the journal is in order. */
async function settle(db: Db, { _id, version }: PeerVerdictsDoc, inputsDigest: string): Promise<boolean> {
  const result = await peerVerdictsIn(db).updateOne(
    { _id, version },
    { $set: { inputsDigest, pendingChanges: null } },
  );
  return result.matchedCount === 1;
}
