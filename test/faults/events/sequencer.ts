import { setTimeout as sleep } from 'node:timers/promises';
import { sequence } from '../../../jobs/sequence.ts';
import type { JobContext } from '../../../jobs/worker/context.ts';
import { loadConfig } from '../../../src/config.ts';
import { openContext } from '../../../src/context.ts';
import { openHighestSeq } from '../../../src/credits/notices.ts';
import { AppError } from '../../../src/errors.ts';
import { interruptedDb } from '../../store/interrupted.ts';
import { faultFromEnv } from '../harness/fault-point.ts';

/** A process that numbers events again and again until it is killed. It has a fault point. */
const PAUSE_MS = 20;

const config = loadConfig();
const { mongoUrl = '', creditsRedisUrl = '' } = config;
const context = await openContext(config, { mongoUrl, creditsRedisUrl }, 'sequencer', { retryWrites: false });
const highestSeq = openHighestSeq(context.creditsRedis, config.creditsTag, context.db.databaseName);
const db = interruptedDb(context.db, faultFromEnv());
const job = { db, highestSeq, log: context.log, now: context.now } as JobContext;
process.stdout.write('ready\n');
for (;;) {
  await sequence(job, { slot: 0 }).catch((error: unknown) => {
    if (!(error instanceof AppError) || error.code !== 'sequence_conflict') throw error;
  });
  await sleep(PAUSE_MS);
}
