import { createLogger } from '../../../src/log.ts';
import { openMongo } from '../../../src/mongo.ts';
import { keepHealth } from '../../../src/process/health.ts';

/** A worker of the group `live` whose event loop stands still for ever, as that of one that computes over a quarter. */
const { MONGO_URL = '', MONGO_DB = '' } = process.env;
const { db } = await openMongo(MONGO_URL, MONGO_DB);
const context = { db, log: createLogger('silent', 'test'), now: () => new Date() };
await keepHealth(MONGO_URL, context, {
  role: 'worker',
  about: 'live',
  judge: async () => ({ problems: [] }),
});
// The watch has begun.
setTimeout(() => {
  process.stdout.write('computes\n');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}, 2_000);
