import { gzipSync } from 'node:zlib';
import type { Db } from 'mongodb';
import { buildBrief } from '../../domain/brief/brief.ts';
import type { Ticker } from '../../domain/ids.ts';
import { loadBriefInput } from '../../read/brief/input.ts';
import { currentBriefsIn, readBrief, type StoredBrief } from '../../store/publish/briefs.ts';
import type { BriefSource } from './brief-lookup.ts';

/**
 * Stored briefs, and for a ticker without one the brief computed now: unknown (`no_data`),
 * ambiguous (`refused`), or not built yet. A computed one is not stored: anyone could fill the store.
 */
export function briefSource(db: Db): BriefSource {
  return {
    async currentId(ticker) {
      const head = await currentBriefsIn(db).findOne({ _id: ticker }, { projection: { briefId: 1 } });
      return head?.briefId ?? null;
    },
    load: async (ticker) => (await readBrief(db, ticker)) ?? computed(db, ticker),
  };
}

async function computed(db: Db, ticker: Ticker): Promise<StoredBrief> {
  const brief = buildBrief(await loadBriefInput(db, ticker, new Date().toISOString()));
  const body = Buffer.from(JSON.stringify({ data: brief }));
  return { briefId: brief.brief_id, body, gzip: gzipSync(body) };
}
