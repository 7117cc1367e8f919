import { setTimeout as sleep } from 'node:timers/promises';
import { MAX_ANSWER_AGE_MS } from '../../src/api/cache/shared-answers.ts';
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
  const api = await startApi({ ...world.context, db, forms });
  const answeredAt = new Map<string, number>();
  /** An answer from before the pipeline ran is given until it is too old (rule 11.23): there is nothing else to wait for. */
  const outlive = async (path: string): Promise<void> => {
    const before = answeredAt.get(path) ?? Number.NEGATIVE_INFINITY;
    if (before < pipelineEndedAt()) await sleep(Math.max(0, before + MAX_ANSWER_AGE_MS - performance.now()));
  };
  return {
    get: async (path) => {
      await outlive(path);
      const url = `http://127.0.0.1:${api.port}/v1${path}`;
      const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
      const text = await response.text();
      answeredAt.set(path, performance.now());
      return { status: response.status, body: JSON.parse(text), text };
    },
    close: api.close,
  };
}
