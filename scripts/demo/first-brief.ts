import type { Db } from 'mongodb';
import { z } from 'zod';
import type { PipelineProgress } from '../../src/derive/corpus/progress.ts';
import { parseTicker, type Ticker } from '../../src/domain/ids.ts';
import { currentBrief } from '../../src/read/brief/brief.ts';
import { largestPosition } from '../../src/read/brief/most-observed.ts';
import { briefCall, make } from './calls.ts';
import { DEFAULT_AS_OF } from './options.ts';

type Asked = {
  readonly db: Db;
  readonly apiUrl: string;
  readonly key: () => Promise<string>;
};

const answer = z.object({ data: z.object({ brief_id: z.string() }) });

/** The ticker that the demo shows first, by the day. */
const SHOWN: Readonly<Record<string, Ticker | null>> = { [DEFAULT_AS_OF]: parseTicker('AMZN') };

/** That of the day, else of the largest position of the largest fund, whatever was built before. */
async function shownTicker(db: Db, asOf: string | null | undefined): Promise<Ticker | null> {
  return SHOWN[asOf ?? ''] ?? (await largestPosition(db));
}

/** The brief that the demo shows. */
export async function shownBrief(db: Db, now: () => Date, asOf: string | undefined) {
  const ticker = await shownTicker(db, asOf);
  return ticker === null ? null : { ticker, briefId: (await currentBrief(db, ticker, now)).briefId };
}

/**
 * Asks the API for one brief as soon as everything that briefs rest on is settled and published, while a worker builds
 * the others: the one that is shown. It is its final brief. Returns what to say once it was answered. One that was not
 * is asked for again at the next look, and the calls at the end throw.
 */
export function firstBrief({ db, apiUrl, key }: Asked) {
  let isAnswered = false;
  return async ({ published, as_of }: PipelineProgress): Promise<string | null> => {
    if (isAnswered || !published) return null;
    const ticker = await shownTicker(db, as_of);
    if (ticker === null) return null;
    const call = briefCall({ apiUrl, key: await key() }, 'First brief', ticker);
    const body = await make(call).catch(() => null);
    if (body === null) return null;
    isAnswered = true;
    const { brief_id: briefId } = answer.parse(JSON.parse(body)).data;
    return `${call.what}: 200  ${call.url}  (as a page: ${apiUrl}/briefs/${briefId})`;
  };
}
