import { openPipeline } from '../../jobs/worker/open.ts';
import { currentBriefsIn } from '../../src/store/publish/briefs.ts';
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
    // As if nobody had asked for long: a brief is then built at its next change, and left to readers after that.
    await currentBriefsIn(pipeline.context.db).updateMany({}, { $unset: { askedAt: '' } });
    const probe = openProbe(pipeline.base.mongo.client, folder);
    return await measureAmended({ market, pipeline, probe, dir, edgar });
  } finally {
    await pipeline.close();
  }
}
