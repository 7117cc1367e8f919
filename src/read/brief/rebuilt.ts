import type { Db } from 'mongodb';
import { buildBrief } from '../../domain/brief/brief.ts';
import { ALGORITHM_VERSION } from '../../domain/brief/manifest.ts';
import { correctionOf, hasSameFacts } from '../../domain/brief/superseded.ts';
import { differencesOf } from '../../domain/brief/words/differences.ts';
import type { Ticker } from '../../domain/ids.ts';
import type { Brief } from '../../domain/wire/brief.ts';
import { AppError } from '../../errors.ts';
import { currentBriefsIn } from '../../store/publish/briefs.ts';
import { briefText } from '../../store/publish/stored-briefs.ts';
import { loadBriefInput } from './brief.ts';

/**
 * What the present algorithm makes of a brief that another one built. `corrected`: of the same filings it counts
 * other figures (rule 8.9). `same`: the figures are equal, and the id is another one. `news`: filings or what is
 * known of them are others by now, so that its figures change anyway. `moving`: what it reads is being replaced at this
 * moment. `lost`: the brief is not stored any more.
 */
export type RebuiltOutcome = 'corrected' | 'same' | 'news' | 'moving' | 'lost';

export type RebuiltBrief = {
  readonly ticker: Ticker;
  readonly from: string;
  /** Null where none was built. */
  readonly to: string | null;
  readonly outcome: RebuiltOutcome;
  /** Sentences on what a corrected one says otherwise. */
  readonly differences: readonly string[];
};

export type RebuiltQuery = {
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
export function countOutdatedBriefs(db: Db, tickers: RebuiltQuery['tickers']): Promise<number> {
  return currentBriefsIn(db).countDocuments(outdated(tickers));
}

/** Builds those briefs one after another by the present algorithm, of all that is stored, and writes nothing. */
export async function* rebuiltBriefs(db: Db, { tickers, at }: RebuiltQuery): AsyncGenerator<RebuiltBrief> {
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
