import type { Db } from 'mongodb';
import { ALGORITHM_VERSION } from '../domain/brief/manifest.ts';
import type { Ticker } from '../domain/ids.ts';
import {
  countOutdatedBriefs,
  type RebuiltBrief,
  type RebuiltOutcome,
  rebuiltBriefs,
} from '../read/brief/rebuilt.ts';
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
