import { createKey } from '../../src/credits/account/key-life.ts';
import { FORMS } from '../../src/forms/index.ts';
import { startApi } from '../../src/serve.ts';
import type { Flow } from './flow.ts';

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
  return {
    get: async (path) => {
      const url = `http://127.0.0.1:${api.port}/v1${path}`;
      const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
      const text = await response.text();
      return { status: response.status, body: JSON.parse(text), text };
    },
    close: api.close,
  };
}
