import type { Db } from 'mongodb';
import type { Cusip, QuarterEnd, Ticker } from '../../domain/ids.ts';
import { cusipAtQuarter, datedChanges, isSettledAt } from '../../domain/peers/security-at-quarter.ts';
import {
  type HolderCounts,
  isConfirmed,
  type SecurityMapping,
  type SecurityResolution,
} from '../../domain/security/mapping.ts';
import { cusipMappingsOf, resolveSecurity } from '../../domain/security/resolve.ts';
import { unavailable } from '../../errors.ts';
import { type Publication, publishedCorpus } from '../../store/publish/corpus.ts';
import { mappingsOf } from '../../store/security/securities.ts';
import { type LatestActions, latestActions } from './security-history.ts';
import { shownIn } from './shown.ts';

/**
 * Resolves a ticker on the published as-of date, for the brief and for the list of holders alike.
 * Throws `corpus_unpublished` (retryable, 503) before the first publication.
 */
export async function resolvePublished(db: Db, ticker: Ticker) {
  const [publication, mappings] = await Promise.all([requireCorpus(db), mappingsOf(db, [ticker])]);
  const actions = latestActions(db, publication.corpus.state.latestReportedQuarterEnd);
  return { publication, resolution: await resolveAmong(db, ticker, { mappings, publication, actions }) };
}

/**
 * The same in a corpus that is read. The CUSIP of the ticker is the one under which the latest reported quarter
 * holds it: a ticker outlives its CUSIP.
 */
export async function resolveIn(db: Db, ticker: Ticker, within: Within): Promise<SecurityResolution> {
  return resolveAmong(db, ticker, { mappings: await mappingsOf(db, [ticker]), ...within });
}

type Within = { readonly publication: Publication; readonly actions: LatestActions };
type Known = Within & { readonly mappings: readonly SecurityMapping[] };

function resolveAmong(db: Db, ticker: Ticker, known: Known): Promise<SecurityResolution> {
  const resolution = resolveSecurity(ticker, known.mappings, known.publication.corpus.asOf);
  return asReported(db, resolution, known);
}

async function asReported(db: Db, resolution: SecurityResolution, known: Known) {
  const { mappings, publication, actions } = known;
  const { asOf, state } = publication.corpus;
  const quarterEnd = state.latestReportedQuarterEnd;
  if (quarterEnd === null || resolution.kind !== 'resolved' || resolution.cusip === null) return resolution;
  const history = { cusip: resolution.cusip, mappings: cusipMappingsOf(resolution.ticker, mappings), asOf };
  if (isSettledAt(history, quarterEnd)) return resolution;
  const changes = datedChanges(await actions());
  const cusip = cusipAtQuarter(history, quarterEnd, changes);
  if (cusip === history.cusip) return resolution;
  const [own, other] = await Promise.all([
    holdingsAt(db, history.cusip, quarterEnd),
    holdingsAt(db, cusip, quarterEnd),
  ]);
  const isVoted = cusip !== cusipAtQuarter(history, quarterEnd, []);
  return isConfirmed(own, other, isVoted) ? resolution : { ...resolution, cusip };
}

async function holdingsAt(db: Db, cusip: Cusip, quarterEnd: QuarterEnd): Promise<HolderCounts> {
  const shown = await shownIn(db, [cusip], quarterEnd);
  return {
    now: shown.filter(({ position }) => position.amount > 0n).length,
    before: shown.filter(({ position }) => position.priorAmount > 0n).length,
  };
}

/** The published corpus. Throws `corpus_unpublished` (retryable, 503) before the first publication. */
export async function requireCorpus(db: Db): Promise<Publication> {
  const publication = await publishedCorpus(db);
  if (publication !== null) return publication;
  throw unavailable('corpus_unpublished', 'the state of the corpus is not published yet', {
    public: 'The first ingestion has not finished. Ask again in a moment.',
  });
}
