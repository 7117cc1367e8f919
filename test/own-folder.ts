import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, type beforeEach } from 'vitest';
import { discardHome } from '../packages/embedded/embedded.ts';

/** A folder that is made before the tests of the file, or each, and then removed; the services of a home are killed. */
export function ownFolder(name: string, before: typeof beforeAll | typeof beforeEach = beforeAll): string {
  const folder = join(tmpdir(), `tidemark-${name}-${randomUUID()}`);
  before(() => {
    mkdirSync(folder, { mode: 0o700 });
    return () => discardHome(folder);
  });
  return folder;
}
