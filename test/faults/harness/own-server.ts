import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../../src/config.ts';
import { discardHome } from '../../../src/embedded/embedded.ts';
import { openServices } from '../../../src/embedded/open.ts';
import { killProcess } from '../../../src/embedded/process.ts';
import { readState } from '../../../src/embedded/state.ts';

/** A MongoDB or a Redis of a scenario alone, as the product starts it, so that it may be killed. */
export type OwnServer = {
  readonly url: string;
  /** Its folder of data. */
  readonly folder: string;
  /** kill -9. */
  readonly kill: () => Promise<void>;
  /** Starts it again on its data, at the same address. */
  readonly restart: () => Promise<void>;
  readonly close: () => Promise<void>;
};

/** Nothing is started for a service that has a URL. */
const ELSEWHERE = {
  mongoUrl: 'mongodb://127.0.0.1:1',
  creditsRedisUrl: 'redis://127.0.0.1:1',
  queueRedisUrl: 'redis://127.0.0.1:1',
};

export async function openOwnServer(name: 'mongo' | 'credits'): Promise<OwnServer> {
  const home = mkdtempSync(join(tmpdir(), 'tidemark-fault-'));
  const url = name === 'mongo' ? 'mongoUrl' : 'creditsRedisUrl';
  const { engine } = loadConfig();
  const settings = { ...ELSEWHERE, [url]: undefined, home, docker: 'never', engine } as const;
  const start = async (): Promise<string> => (await openServices(settings, () => undefined))[url];
  const first = await start();
  return {
    url: first,
    folder: join(home, name),
    kill: async () => {
      const running = readState(home)[name];
      if (running === undefined) throw new Error(`this ${name} does not run`);
      await killProcess(running);
    },
    restart: async () => {
      if ((await start()) !== first) throw new Error(`${name} has moved to another port`);
    },
    close: () => discardHome(home),
  };
}
