import { openPipeline } from '../../jobs/worker/open.ts';
import { invalidationsIn } from '../../src/store/invalidation/invalidation.ts';
import { currentBriefsIn } from '../../src/store/publish/current-briefs.ts';
import type { Home } from '../live/home.ts';
import type { Market } from '../market/market.ts';
import { type Amended, measureAmended } from '../scale/amended.ts';
import { monitored, openProbe } from '../scale/probe.ts';

/** What one restated report costs in the loaded home, by the jobs alone in this process: no worker may run over it. */
export async function measureRestated(home: Home, market: Market): Promise<Amended> {
  const { services, folder, dir, edgar } = home;
  const config = { ...home.config, briefDebounceMs: 0, logLevel: 'warn' } as const;
  const mongoUrl = monitored(services.mongoUrl);
  const pipeline = await openPipeline(config, { ...services, mongoUrl });
  try {
    // As if nobody had asked for long, and each brief had changed since: then it is left to the next reader.
    await currentBriefsIn(pipeline.context.db).updateMany({}, { $unset: { askedAt: '' } });
    await invalidationsIn(pipeline.context.db).updateMany({ kind: 'brief' }, { $set: { onRead: true } });
    const probe = openProbe(pipeline.base.mongo.client, folder);
    return await measureAmended({ market, pipeline, probe, dir, edgar });
  } finally {
    await pipeline.close();
  }
}
