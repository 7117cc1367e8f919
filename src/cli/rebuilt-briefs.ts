import type { Db } from 'mongodb';
import { buildBrief } from '../domain/brief/brief.ts';
import { ALGORITHM_VERSION } from '../domain/brief/manifest.ts';
import { correctionOf, hasSameFacts } from '../domain/brief/superseded.ts';
import { differencesOf } from '../domain/brief/words/differences.ts';
import type { Ticker } from '../domain/ids.ts';
import type { Brief } from '../domain/wire/brief.ts';
import { AppError } from '../errors.ts';
import { loadBriefInput } from '../read/brief/brief.ts';
import { briefText, currentBriefsIn } from '../store/publish/current-briefs.ts';
import { progressBar } from './progress-bar.ts';
import { print, say } from './session.ts';

/** Said for each outcome, in this order. */
const SAID: Record<RebuiltOutcome, string> = {
  corrected: 'would be corrected: other figures from the same filings',
  same: 'would have another id and the same figures',
  news: 'change anyway: other filings, or other readings of them, since they were built',
  moving: 'read what is being replaced at this moment: ask again when nothing is pending',
  lost: 'are not stored any more, so nothing can be compared',
};

type Wanted = {
  readonly tickers: readonly Ticker[] | null;
  /** So many that would be corrected are named; all are counted. */
  readonly named: number;
  readonly at: string;
};

export type BriefTally = {
  readonly counts: Readonly<Record<RebuiltOutcome, number>>;
  readonly named: readonly RebuiltBrief[];
};

/** What the present algorithm would change in the briefs that tickers show. Writes nothing. */
export async function tallyBriefs(db: Db, { tickers, named, at }: Wanted): Promise<BriefTally> {
  const counts: Record<RebuiltOutcome, number> = { corrected: 0, same: 0, news: 0, moving: 0, lost: 0 };
  const corrected: RebuiltBrief[] = [];
  const bar = progressBar('Building briefs |{bar}| {value}/{total} briefs, {eta_formatted} left');
  bar.start(await countOutdatedBriefs(db, tickers), 0);
  try {
    for await (const brief of rebuiltBriefs(db, { tickers, at })) {
      counts[brief.outcome] += 1;
      if (brief.outcome === 'corrected' && corrected.length < named) corrected.push(brief);
      bar.increment();
    }
  } finally {
    bar.stop();
  }
  return { counts, named: corrected };
}

export function tallyJson({ counts, named }: BriefTally): object {
  const corrected = named.map(({ outcome: _outcome, ...brief }) => brief);
  return { algorithm: ALGORITHM_VERSION, counts, corrected, left_out: counts.corrected - named.length };
}

/** Those to be corrected on a line each, unless they are in the JSON; then how many there are of each outcome. */
export function sayTally({ counts, named }: BriefTally, isJson: boolean): void {
  for (const { ticker, from, to, differences } of isJson ? [] : named)
    print([ticker, from, to, ...differences].join('\t'));
  const counted = (Object.keys(SAID) as RebuiltOutcome[]).filter((outcome) => counts[outcome] > 0);
  for (const outcome of counted) {
    say(`${counts[outcome]} ${counts[outcome] === 1 ? 'brief' : 'briefs'}: ${SAID[outcome]}`);
  }
  if (counts.corrected > named.length) say(`${named.length} of those to be corrected are named.`);
  if (counted.length === 0) say('No stored brief of this selection is of another algorithm.');
}

/**
 * What the present algorithm makes of a brief that another one built. `corrected`: of the same filings it counts
 * other figures (rule 8.9). `same`: the figures are equal, and the id is another one. `news`: filings or what is
 * known of them are others by now, so that its figures change anyway. `moving`: what it reads is being replaced at this
 * moment. `lost`: the brief is not stored any more.
 */
type RebuiltOutcome = 'corrected' | 'same' | 'news' | 'moving' | 'lost';

type RebuiltBrief = {
  readonly ticker: Ticker;
  readonly from: string;
  /** Null where none was built. */
  readonly to: string | null;
  readonly outcome: RebuiltOutcome;
  /** Sentences on what a corrected one says otherwise. */
  readonly differences: readonly string[];
};

type RebuiltQuery = {
  /** Null: all. */
  readonly tickers: readonly Ticker[] | null;
  /** ISO 8601 UTC; in no id. */
  readonly at: string;
};

/** Briefs that are read at a time: each may take a second to build, and no cursor waits for that. */
const PAGE = 100;

function outdated(tickers: RebuiltQuery['tickers']) {
  const named = tickers === null ? {} : { _id: { $in: [...tickers] } };
  return { algorithm: { $ne: ALGORITHM_VERSION }, ...named };
}

/** How many of the briefs that tickers show were built by another algorithm. */
function countOutdatedBriefs(db: Db, tickers: RebuiltQuery['tickers']): Promise<number> {
  return currentBriefsIn(db).countDocuments(outdated(tickers));
}

/** Builds those briefs one after another by the present algorithm, of all that is stored, and writes nothing. */
async function* rebuiltBriefs(db: Db, { tickers, at }: RebuiltQuery): AsyncGenerator<RebuiltBrief> {
  let after = '' as Ticker;
  for (;;) {
    const page = await currentBriefsIn(db)
      .find({ $and: [outdated(tickers), { _id: { $gt: after } }] }, { projection: { briefId: 1 } })
      .sort({ _id: 1 })
      .limit(PAGE)
      .toArray();
    for (const { _id, briefId } of page) {
      after = _id;
      yield { ticker: _id, from: briefId, ...(await rebuilt(db, { ticker: _id, briefId, at })) };
    }
    if (page.length < PAGE) return;
  }
}

async function storedBrief(db: Db, briefId: string): Promise<Brief | null> {
  const text = await briefText(db, briefId);
  return text === null ? null : (JSON.parse(text) as { data: Brief }).data;
}

type Rebuilt = Pick<RebuiltBrief, 'to' | 'outcome' | 'differences'>;
type Shown = { readonly ticker: Ticker; readonly briefId: string; readonly at: string };

async function rebuilt(db: Db, { ticker, briefId, at }: Shown): Promise<Rebuilt> {
  const before = await storedBrief(db, briefId);
  if (before === null) return { to: null, outcome: 'lost', differences: [] };
  try {
    const now = buildBrief(await loadBriefInput(db, ticker, at));
    return { to: now.brief_id, ...comparedWith(before, now) };
  } catch (error) {
    if (!(error instanceof AppError) || !error.retry) throw error;
    return { to: null, outcome: 'moving', differences: [] };
  }
}

function comparedWith(before: Brief, now: Brief): Pick<RebuiltBrief, 'outcome' | 'differences'> {
  if (hasSameFacts(before, now)) return { outcome: 'same', differences: [] };
  if (correctionOf(before, now, false)?.cause !== 'algorithm') return { outcome: 'news', differences: [] };
  return { outcome: 'corrected', differences: differencesOf(before, now).map(({ text }) => text) };
}
