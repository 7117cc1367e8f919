// The thread that watches an event loop. Plain JavaScript: a thread of TypeScript would load its compiler in every process.
import { writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { workerData } from 'node:worker_threads';

const { beats, limitSeconds, pulse } = workerData;
/** The first beat of the loop that stands still; then one in as many seconds as the loop itself would beat. */
const [FIRST_S, EVERY_S] = [5, 10];
let last = 0;
let still = 0;
let client = null;

/** Beats in place of a loop that computes. The connection is opened then, and closed when the loop goes on. */
async function beat() {
  if (client === null) {
    const { MongoClient } = createRequire(import.meta.url)('mongodb');
    client = new MongoClient(pulse.mongoUrl, { maxPoolSize: 1, serverSelectionTimeoutMS: 5_000 });
  }
  const heartbeats = client.db(pulse.database).collection('heartbeats');
  await heartbeats.updateOne({ _id: pulse.id }, { $set: { at: new Date() } }, { writeConcern: { w: 1 } });
}

function rest() {
  const open = client;
  client = null;
  void open?.close().catch(() => undefined);
}

setInterval(() => {
  const count = Atomics.load(beats, 0);
  still = count === last ? still + 1 : 0;
  last = count;
  if (still === 0) rest();
  if (pulse !== null && still % EVERY_S === FIRST_S) beat().catch(() => undefined);
  if (still < limitSeconds) return;
  writeSync(2, `tidemark: the event loop was blocked for ${limitSeconds} s: killed, to be started again\n`);
  process.kill(process.pid, 'SIGKILL');
}, 1_000);
