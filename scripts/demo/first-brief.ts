import type { Db } from 'mongodb';
import { z } from 'zod';
import type { PipelineProgress } from '../../src/derive/corpus/progress.ts';
import { largestPosition } from '../../src/read/brief/most-observed.ts';
import { briefCall, make } from './calls.ts';

type Asked = {
  readonly db: Db;
  readonly apiUrl: string;
  readonly key: () => Promise<string>;
};

const answer = z.object({ data: z.object({ brief_id: z.string() }) });

/**
 * Asks the API for one brief as soon as everything that briefs rest on is settled and published, while a worker builds
 * the others: that of the largest position of the largest fund, as after an import (rule 11.10). It is its final brief.
 * Returns what to say once it was answered. One that was not is asked for again at the next look, and the calls at
 * the end throw.
 */
export function firstBrief({ db, apiUrl, key }: Asked) {
  let isAnswered = false;
  return async ({ published }: PipelineProgress): Promise<string | null> => {
    if (isAnswered || !published) return null;
    const ticker = await largestPosition(db);
    if (ticker === null) return null;
    const call = briefCall({ apiUrl, key: await key() }, 'First brief', ticker);
    const body = await make(call).catch(() => null);
    if (body === null) return null;
    isAnswered = true;
    const { brief_id: briefId } = answer.parse(JSON.parse(body)).data;
    return `${call.what}: 200  ${call.url}  (as a page: ${apiUrl}/briefs/${briefId})`;
  };
}
