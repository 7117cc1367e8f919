import { createServer } from 'node:net';
import { Writable } from 'node:stream';
import type { Redis } from 'ioredis';
import { pino } from 'pino';
import type { KeyStore } from '../../src/credits/account/key-record.ts';
import { AppError } from '../../src/errors.ts';
import { startApi } from '../../src/serve.ts';
import { ensureIndexes } from '../../src/store/mongo/indexes.ts';
import { openWorld, type World } from '../world.ts';

/** A world with the site serving on a free port, which its own links name. */
export type Site = {
  readonly world: World;
  readonly origin: string;
  readonly store: KeyStore;
  /** Everything that the process logged, at every level. */
  readonly logged: () => string;
  readonly close: () => Promise<void>;
};

/** @param openRedis the Redis that the site itself uses, when it is not the world's connection */
export async function openSite(
  settings: Readonly<Record<string, string>> = {},
  openRedis: (world: World) => Promise<Redis> = async ({ credits }) => credits,
): Promise<Site> {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const world = await openWorld({
    PORT: String(port),
    SITE_URL: origin,
    // So that each test can come from an address of its own.
    TRUST_PROXY: '1',
    SHED_LOOP_DELAY_MS: '0',
    ...settings,
  });
  const { mongo, store } = world;
  await ensureIndexes(mongo.db);
  const lines: string[] = [];
  const sink = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  const log = pino({ level: 'trace' }, sink);
  const creditsRedis = await openRedis(world);
  const api = await startApi({ ...world.context, log, creditsRedis }).catch(portIsTaken);
  if (api === null) {
    await world.close();
    return openSite(settings, openRedis);
  }
  return {
    world,
    origin,
    store,
    logged: () => lines.join(''),
    close: async () => {
      await api.close();
      await world.close();
    },
  };
}

/** Null for a port that another process took since it was free. */
function portIsTaken(error: unknown): null {
  if (error instanceof AppError && error.code === 'port_in_use') return null;
  throw error;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = address !== null && typeof address === 'object' ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
