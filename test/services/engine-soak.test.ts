// @module-tag long

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Collection, MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../packages/embedded/port.ts';
import { answers, MONGO_USER, urlOf } from '../../packages/embedded/probe.ts';
import { openRuntime } from '../../packages/embedded/venv.ts';
import { waitUntil } from '../../packages/embedded/wait.ts';
import { environmentPlus } from '../../src/config.ts';
import { ownFolder } from '../own-folder.ts';

/** The load under which the engine answered no client any more, in less than three minutes (DECISIONS 96). */
const ENGINE = fileURLToPath(new URL('../../packages/embedded/python-engine.py', import.meta.url));
const SOAK_MS = 3 * 60_000;
const NO_ANSWER_MS = 60_000;
const PASSWORD = 'of the soak';
const TEXT = Array.from({ length: 120_000 }, (_, i) => String.fromCharCode(33 + ((i * 7919) % 90))).join('');
const BATCH = Array.from({ length: 30 }, (_, k) => k);

const clients: MongoClient[] = [];
const home = ownFolder('soak');
let engine: ChildProcess;
let url = '';
let until = 0;
beforeAll(async () => {
  const { python } = await openRuntime(() => undefined);
  const port = await freePort();
  const configuration = join(home, 'secantusd.toml');
  writeFileSync(configuration, '[storage]\nttl_sweep_seconds = 3\n');
  const options = ['--config', configuration, '--port', String(port), '--storage-path', join(home, 'mongo')];
  engine = spawn(python, [ENGINE, ...options, '--host', '127.0.0.1', '--cache-size', '128M', '--auth'], {
    cwd: home,
    env: environmentPlus({ MONGO_USER, MONGO_PASSWORD: PASSWORD }),
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  url = urlOf('mongo', port, PASSWORD);
  expect(await waitUntil(() => answers('mongo', url), NO_ANSWER_MS)).toBe(true);
  until = Date.now() + SOAK_MS;
});
afterAll(async () => {
  engine.kill('SIGKILL');
  await once(engine, 'exit');
  await Promise.all(clients.map((client) => client.close()));
});

test('the Python engine answers each client while its cache is full and expired documents are swept', {
  timeout: 2 * SOAK_MS,
}, async () => {
  const done = await Promise.all([...[1, 2, 3, 4, 5].map(write), read(), read(), read(), probe()]);
  expect(Math.min(...done)).toBeGreaterThan(0);
});

/** Every operation fails that has no answer for a minute. */
async function open(): Promise<MongoClient> {
  const client = new MongoClient(url, { retryWrites: false, socketTimeoutMS: NO_ANSWER_MS });
  clients.push(client);
  return client.connect();
}

/** Fills a database with big documents, half of which expire at once, and drops it. */
async function write(writer: number): Promise<number> {
  const client = await open();
  let batches = 0;
  for (let round = 0; Date.now() < until; round += 1) {
    const db = client.db(`soak_${writer}_${round}`);
    const kept = db.collection('kept');
    const expired = db.collection('expired');
    await kept.createIndex({ n: 1 });
    await expired.createIndex({ at: 1 }, { expireAfterSeconds: 0 });
    for (let part = 0; part < 10 && Date.now() < until; part += 1) {
      await kept.insertMany(BATCH.map((k) => ({ n: part * BATCH.length + k, text: TEXT.slice(k) })));
      await expired.insertMany(BATCH.map((k) => ({ at: new Date(0), text: TEXT.slice(k, 60_000) })));
      await kept.updateMany({ n: { $gte: part * BATCH.length } }, { $set: { text: TEXT.slice(part) } });
      batches += 1;
    }
    await kept.createIndex({ text: 1, n: 1 });
    await db.dropDatabase();
  }
  return batches;
}

async function read(): Promise<number> {
  const client = await open();
  let reads = 0;
  while (Date.now() < until) {
    const { databases } = await client.db('admin').admin().listDatabases();
    for (const { name } of databases.filter((database) => database.name.startsWith('soak'))) {
      await client.db(name).collection('kept').find({}).sort({ n: -1 }).limit(20).toArray();
      await client.db(name).collection('expired').countDocuments({});
      reads += 1;
    }
  }
  return reads;
}

async function probe(): Promise<number> {
  const counter: Collection<{ _id: string; n: number }> = (await open()).db('probe').collection('counter');
  let writes = 0;
  for (; Date.now() < until; writes += 1) {
    await counter.updateOne(
      { _id: 'probe' },
      { $inc: { n: 1 } },
      { upsert: true, writeConcern: { j: true } },
    );
  }
  return writes;
}
