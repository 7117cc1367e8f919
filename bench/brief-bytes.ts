import type { Db } from 'mongodb';
import { ALGORITHM_VERSION } from '../src/domain/brief/manifest.ts';
import type { Ticker } from '../src/domain/ids.ts';
import { saveBrief } from '../src/store/publish/briefs.ts';
import { setCurrentBrief } from '../src/store/publish/current-briefs.ts';
import { SUMMARY } from '../test/api/corpus.ts';

export const BRIEF_ID = `ccm_${'0'.repeat(64)}`;
const AT = '2026-01-01T00:00:00.000Z';

export const PATH = '/v1/stocks/AAPL/capital-change-brief';

/** A body of 20 KB, the size of a typical brief. */
export function briefBytes(): Buffer {
  const change = { fund: { name: 'A FUND LP', cik: '0001067983' }, action: 'added', share_delta: '1234567' };
  return Buffer.from(JSON.stringify({ data: { brief_id: BRIEF_ID, changes: Array(190).fill(change) } }));
}

export async function seedBenchBrief(db: Db): Promise<void> {
  const ticker = 'AAPL' as Ticker;
  await saveBrief(db, {
    _id: BRIEF_ID,
    ticker,
    body: briefBytes(),
    evidence: [],
    generatedAt: AT,
    summary: SUMMARY,
  });
  await setCurrentBrief(db, {
    _id: ticker,
    briefId: BRIEF_ID,
    version: 1,
    corpus: 0,
    algorithm: ALGORITHM_VERSION,
    at: AT,
    managersObserved: 1,
    lane: 'backfill',
  });
}
