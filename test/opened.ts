import { beforeAll } from 'vitest';

/** What `open` gives, for the tests of the file or group that asks for it: opened before them, and closed after them. */
export function opened<T extends { readonly close: () => unknown }>(open: () => Promise<T>): T {
  const it = {} as T;
  beforeAll(async () => {
    Object.assign(it, await open());
    return () => it.close();
  });
  return it;
}
