import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { discardHome } from '../../../src/embedded/embedded.ts';
import { openServices } from '../../../src/embedded/open.ts';
import { killProcess } from '../../../src/embedded/process.ts';
import { readState } from '../../../src/embedded/state.ts';

const ELSEWHERE = 'mongodb://127.0.0.1:1';

/** A Redis of a scenario alone, as the product starts it, so that it may be killed. */
export type OwnRedis = {
  readonly url: string;
  /** Its folder of data, with the append-only file. */
  readonly folder: string;
  /** kill -9. */
  readonly kill: () => Promise<void>;
  /** Starts it again on its data, at the same address. */
  readonly restart: () => Promise<void>;
  readonly close: () => Promise<void>;
};

export async function openOwnRedis(): Promise<OwnRedis> {
  const home = mkdtempSync(join(tmpdir(), 'tidemark-fault-'));
  const settings = {
    home,
    mongoUrl: ELSEWHERE,
    creditsRedisUrl: undefined,
    queueRedisUrl: 'redis://127.0.0.1:1',
    docker: 'never',
    engine: 'auto',
  } as const;
  const start = () => openServices(settings, () => undefined);
  const { creditsRedisUrl } = await start();
  return {
    url: creditsRedisUrl,
    folder: join(home, 'credits'),
    kill: async () => {
      const { credits } = readState(home);
      if (credits === undefined) throw new Error('this Redis does not run');
      await killProcess(credits);
    },
    restart: async () => {
      const again = await start();
      if (again.creditsRedisUrl !== creditsRedisUrl) throw new Error('Redis has moved to another port');
    },
    close: () => discardHome(home),
  };
}
