import { setTimeout as sleep } from 'node:timers/promises';
import { SEARCH_FRESH_MS } from '../../src/api/cache/search-memory.ts';
import { createKey } from '../../src/credits/account/key-life.ts';
import { FORMS } from '../../src/forms/index.ts';
import { startApi } from '../../src/serve.ts';
import { type Flow, pipelineEndedAt } from './flow.ts';

export type Reader = {
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the wire holds
  readonly get: (path: string) => Promise<{ status: number; body: any; text: string }>;
  readonly close: () => Promise<void>;
};

/** A customer of the API over the flow's database, with a key of its own. */
export async function openReader({ world, db }: Flow, forms = FORMS): Promise<Reader> {
  const store = { ...world.store, db };
  const { key } = await createKey(store, { orgName: 'Reader', credits: 10_000, label: 'test' });
  // The pipeline of the test shares this process, so a late event loop says nothing.
  const limits = { ...world.config.limits, loopDelayMs: 0 };
  const api = await startApi({ ...world.context, config: { ...world.config, limits }, db, forms });
  let answeredAt = performance.now();
  /** The index in memory is used until it is too old (rule 11.23): there is nothing else to wait for. */
  const outliveIndex = async (): Promise<void> => {
    if (answeredAt >= pipelineEndedAt()) return;
    await sleep(Math.max(0, answeredAt + SEARCH_FRESH_MS - performance.now()));
  };
  return {
    get: async (path) => {
      await outliveIndex();
      const url = `http://127.0.0.1:${api.port}/v1${path}`;
      const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
      const text = await response.text();
      answeredAt = performance.now();
      return { status: response.status, body: JSON.parse(text), text };
    },
    close: api.close,
  };
}
