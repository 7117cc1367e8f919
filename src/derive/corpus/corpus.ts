import type { Db } from 'mongodb';
import { windowOf } from '../../domain/brief/insider-leg.ts';
import { addDays, type FilingWindow, filingWindowState, firstDayOfYear } from '../../domain/calendar.ts';
import type { Leg } from '../../domain/filing/filing.ts';
import {
  type CorpusState,
  coverageAnchor,
  daysOfDataSet,
  indexCoverage,
} from '../../domain/filing/index-coverage.ts';
import { LAST_LANE } from '../../domain/filing/lane.ts';
import type { IsoDate, QuarterEnd } from '../../domain/ids.ts';
import { daysWithoutPrices } from '../../domain/market/half-months.ts';
import { previousQuarterEnd } from '../../domain/quarter.ts';
import { dataSetsNamed } from '../../store/filing/data-sets.ts';
import { type FilingDoc, filingsIn } from '../../store/filing/filings.ts';
import { knownIndexDays, lastBackfill } from '../../store/filing/index-days.ts';
import { invalidate } from '../../store/invalidation/invalidate.ts';
import { digestOf } from '../../store/mongo/pack.ts';
import { marketFilesBetween } from '../../store/peers/market-prices.ts';
import { corpusIn, type PublishedCorpus, publishedCorpus } from '../../store/publish/corpus.ts';
import { tickersAsked } from '../../store/publish/current-briefs.ts';
import { fundsIn } from '../../store/report/funds.ts';
import { invalidateWholeSearch } from '../search/invalidate-search.ts';

/** So many briefs that were asked for lately are built for a new corpus; all others when somebody asks (rule 13.7). */
const MAX_BUILT_AHEAD = 500;

/**
 * Invalidates the briefs that were asked for lately and the tickers of the search, then notes it.
 * @param at ISO 8601 UTC
 */
export async function invalidateCorpusFollowers(db: Db, at: string): Promise<void> {
  const before = await corpusIn(db).findOne({ _id: 'corpus' });
  if (before === null) return;
  const asked = await tickersAsked(db, at, MAX_BUILT_AHEAD);
  await invalidate(db, { kind: 'brief', lane: LAST_LANE, unmoved: true }, asked);
  await invalidateWholeSearch(db);
  await corpusIn(db).updateOne(
    { _id: 'corpus', version: Number(before.version) },
    { $set: { followersInvalidated: true, at } },
  );
}

/** The state of the stored filings, funds and index days now. */
export async function computeCorpus(db: Db, asOf: IsoDate): Promise<PublishedCorpus> {
  const latest = await latestReportedQuarterEnd(db);
  const filingWindow = latest === null ? 'closed' : filingWindowState(latest, asOf);
  const since = latest === null ? null : earliestQuarterEnd(latest, filingWindow);
  // Reports of the quarters compared are filed after the earliest one's end.
  const comparedSince = since ?? asOf;
  const [thirteenF, form4, coverage, missing, files] = await Promise.all([
    quarantinedOf(db, 'thirteen_f', { since: comparedSince, asOf }),
    quarantinedOf(db, 'form4', { since: windowOf(asOf).start, asOf }),
    coverageOn(db, asOf),
    failedSets(db, { after: comparedSince, asOf }),
    latest === null || since === null ? [] : marketFilesBetween(db, since, latest),
  ]);
  const pricesMissing =
    latest === null ? null : daysWithoutPrices({ from: addDays(comparedSince, 1), through: latest }, files);
  return {
    asOf,
    state: {
      corpus: ['Form 13F reports of the managers tracked by Tidemark', ...missing].join(', without those '),
      sourceComplete: missing.length === 0 && !coverage.known.some((day) => day.selection),
      latestReportedQuarterEnd: latest,
      filingWindow,
      coverageStart: coverage.start,
      indexedThrough: coverage.through,
      ...(pricesMissing === null ? {} : { pricesMissing }),
      quarantined: quarantinedState(thirteenF, form4),
    },
  };
}

/** While the window is open, managers count by their reports of the quarter before, compared with one more (rule 7.1). */
function earliestQuarterEnd(latest: QuarterEnd, filingWindow: FilingWindow): QuarterEnd {
  const before = previousQuarterEnd(latest);
  return filingWindow === 'open' ? previousQuarterEnd(before) : before;
}

/**
 * The days of filing whose Form 13F reports are missing, because their data sets could not be imported.
 * @param filed a set with no day between these lacks no report that is compared: many end with a quarter
 */
async function failedSets(
  db: Db,
  filed: { readonly after: IsoDate; readonly asOf: IsoDate },
): Promise<string[]> {
  const names = ((await lastBackfill(db))?.dataSets ?? []).filter((name) => name.endsWith('_form13f'));
  const known = await dataSetsNamed(db, names);
  return names.flatMap((name) => {
    const { state, failure } = known.get(name) ?? {};
    const { first, last } = daysOfDataSet(name);
    const isCompared = last > filed.after && first <= filed.asOf;
    const isMissing = state === 'importing' && failure !== undefined;
    return isMissing && isCompared ? [`filed from ${first} to ${last}`] : [];
  });
}

async function latestReportedQuarterEnd(db: Db): Promise<QuarterEnd | null> {
  const fund = await fundsIn(db).find().sort({ latestQuarterEnd: -1 }).limit(1).next();
  return fund?.latestQuarterEnd ?? null;
}

/**
 * Filings that could be in a number of today's briefs: filed since the day, up to the as-of date. It
 * counts from the start of that year, because a file without a readable header is dated so.
 */
async function quarantinedOf(
  db: Db,
  leg: Leg,
  filed: { readonly since: IsoDate; readonly asOf: IsoDate },
): Promise<Quarantined[]> {
  const filedDate = { $gte: firstDayOfYear(filed.since), $lte: filed.asOf };
  return filingsIn(db)
    .find({ state: 'quarantined', filedDate, leg }, { projection: { 'quarantine.ignored': 1 } })
    .sort({ _id: 1 })
    .toArray();
}

type Quarantined = Pick<FilingDoc, '_id' | 'quarantine'>;

function quarantinedState(
  thirteenF: readonly Quarantined[],
  form4: readonly Quarantined[],
): CorpusState['quarantined'] {
  const counted = (filings: readonly Quarantined[]): number =>
    filings.filter(({ quarantine }) => quarantine?.ignored === undefined).length;
  const all = [...thirteenF, ...form4].map(({ _id }) => _id);
  const counts = { thirteenF: counted(thirteenF), form4: counted(form4) };
  return all.length === 0 ? counts : { ...counts, digest: digestOf(all) };
}

/** The index days known up to the day, and the unbroken run of them that briefs rest on (rule 10.5). */
export async function coverageOn(db: Db, asOf: IsoDate) {
  const [days, backfill, published] = await Promise.all([
    knownIndexDays(db),
    lastBackfill(db),
    publishedCorpus(db),
  ]);
  const known = days.filter((day) => day._id <= asOf);
  const through = published?.corpus.state.indexedThrough ?? null;
  const anchor = coverageAnchor({ asOf, from: backfill?.from ?? null, through });
  const dates = known.map((day) => day._id);
  const run = indexCoverage(dates, anchor);
  return { known, ...run };
}
