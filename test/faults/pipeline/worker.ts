import { openPipeline } from '../../../jobs/worker/open.ts';
import { startWorkers } from '../../../jobs/worker/run.ts';
import { loadConfig } from '../../../src/config.ts';
import { interruptedDb } from '../../store/interrupted.ts';
import { faultFromEnv } from '../harness/fault-point.ts';

/** A worker over all queues as `tidemark work` runs it, with a fault point on its database. */
const config = loadConfig();
const { mongoUrl = '', creditsRedisUrl = '', queueRedisUrl = '' } = config;
const pipeline = await openPipeline(config, { mongoUrl, creditsRedisUrl, queueRedisUrl });
const db = interruptedDb(pipeline.context.db, faultFromEnv());
const workers = startWorkers({ ...pipeline.context, db }, pipeline.redis);
process.stdout.write('ready\n');
process.once('SIGTERM', async () => {
  await workers.close();
  await pipeline.close();
});
