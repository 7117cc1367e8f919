import { type CreatedKey, createKey } from '../../src/credits/account/key-life.ts';
import type { KeyStore } from '../../src/credits/account/key-record.ts';
import { startApi } from '../../src/serve.ts';
import { ensureIndexes } from '../../src/store/mongo/indexes.ts';
import { openWorld, type World } from '../world.ts';

/** A world with the API serving on a free port. */
export type Stage = {
  readonly world: World;
  readonly origin: string;
  readonly store: KeyStore;
  /** A key of a new organisation that holds exactly so many credits. */
  readonly newKey: (credits: number) => Promise<CreatedKey>;
  /** {@link get} for an answer that may not be JSON. */
  readonly raw: (
    path: string,
    key?: string | null,
    headers?: Record<string, string>,
  ) => Promise<Omit<Answer, 'body'>>;
  readonly get: (path: string, key?: string | null, headers?: Record<string, string>) => Promise<Answer>;
  readonly close: () => Promise<void>;
};

export type Answer = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the wire holds
  readonly body: any;
};

/** What a busy machine would trip over, lifted; a test of a limit sets it. */
const LIFTED = { SHED_LOOP_DELAY_MS: '0', FAILED_AUTH_PER_MINUTE: '0' };

export async function openStage(settings: Readonly<Record<string, string>> = {}): Promise<Stage> {
  const world = await openWorld({
    PORT: '0',
    SITE_URL: 'https://tidemark.test',
    ...LIFTED,
    ...settings,
  });
  await ensureIndexes(world.mongo.db);
  const api = await startApi(world.context);
  const origin = `http://127.0.0.1:${api.port}`;
  const { store } = world;
  let count = 0;
  return {
    world,
    origin,
    store,
    newKey: (credits) => {
      count += 1;
      return createKey(store, { orgName: `Organisation ${count}`, credits, label: 'test' });
    },
    get: async (path, key = null, headers = {}) => {
      const answer = await ask(`${origin}${path}`, key, headers);
      return { ...answer, body: answer.text === '' ? null : JSON.parse(answer.text) };
    },
    raw: (path, key = null, headers = {}) => ask(`${origin}${path}`, key, headers),
    close: async () => {
      await api.close();
      await world.close();
    },
  };
}

type Sent = Omit<Answer, 'body'>;

async function ask(url: string, key: string | null, headers: Record<string, string>): Promise<Sent> {
  const authorization: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` };
  const response = await fetch(url, { headers: { ...authorization, ...headers } });
  return { status: response.status, headers: response.headers, text: await response.text() };
}
