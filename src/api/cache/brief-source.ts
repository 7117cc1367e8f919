import type { Db } from 'mongodb';
import { currentBrief } from '../../read/brief/current.ts';
import { currentBriefsIn } from '../../store/publish/briefs.ts';
import type { BriefSource } from './brief-lookup.ts';

export function briefSource(db: Db, now: () => Date): BriefSource {
  return {
    async currentId(ticker) {
      const current = await currentBriefsIn(db).findOne({ _id: ticker }, { projection: { briefId: 1 } });
      return current?.briefId ?? null;
    },
    load: (ticker) => currentBrief(db, ticker, now),
  };
}
