import { gzipSync } from 'node:zlib';
import type { Db } from 'mongodb';
import { buildBrief } from '../../domain/brief/brief.ts';
import type { Ticker } from '../../domain/ids.ts';
import { readBrief, type StoredBrief } from '../../store/publish/briefs.ts';
import { loadBriefInput } from './input.ts';

/**
 * The current brief of a ticker. Without a stored one it is computed now: the ticker is unknown
 * (`no_data`), ambiguous (`refused`), or its brief is not built yet. A computed brief is not stored,
 * because any caller could fill the store.
 */
export async function currentBrief(db: Db, ticker: Ticker, now: () => Date): Promise<StoredBrief> {
  const stored = await readBrief(db, ticker);
  if (stored !== null) return stored;
  const brief = buildBrief(await loadBriefInput(db, ticker, now().toISOString()));
  const body = Buffer.from(JSON.stringify({ data: brief }));
  return { briefId: brief.brief_id, body, gzip: gzipSync(body) };
}
