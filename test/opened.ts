import { beforeAll, type beforeEach } from 'vitest';

/** What `open` gives, for the tests of the file or group that asks for it: opened before them, or each, and then closed. */
export function opened<T extends { readonly close: () => unknown }>(
  open: () => Promise<T>,
  before: typeof beforeAll | typeof beforeEach = beforeAll,
): T {
  const it = {} as T;
  before(async () => {
    const made = await open();
    Object.assign(it, made);
    return () => made.close();
  });
  return it;
}
