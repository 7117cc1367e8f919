import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { discardHome } from '../../../packages/embedded/embedded.ts';
import { openServices } from '../../../packages/embedded/open.ts';
import { freePortFrom, isFree } from '../../../packages/embedded/port.ts';
import { killProcess } from '../../../packages/embedded/process.ts';
import { readState, writeState } from '../../../packages/embedded/state.ts';
import { waitUntil } from '../../../packages/embedded/wait.ts';
import { loadConfig } from '../../../src/config.ts';

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

/** More than any system counts up to. */
const NO_PROCESS = 2 ** 30;
const PORT_MS = 30_000;

/** Nothing is started for a service that has a URL. */
const ELSEWHERE = {
  mongoUrl: 'mongodb://127.0.0.1:1',
  creditsRedisUrl: 'redis://127.0.0.1:1',
  queueRedisUrl: 'redis://127.0.0.1:1',
};

export async function openOwnServer(name: 'mongo' | 'credits'): Promise<OwnServer> {
  const home = mkdtempSync(join(tmpdir(), 'tidemark-fault-'));
  // Below the ports that outgoing connections take: one of these may have it when the server starts again.
  const from = 15_000 + Math.floor(Math.random() * 10_000);
  const port = await freePortFrom(from, { host: '127.0.0.1', taken: new Set() });
  writeState(home, { kind: 'embedded', [name]: { pid: NO_PROCESS, start: 'gone', port } });
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
      // A process with threads lets go of its port a moment after it has ended.
      await waitUntil(() => isFree(port), PORT_MS);
    },
    restart: async () => {
      if ((await start()) !== first) throw new Error(`${name} has moved to another port`);
    },
    close: () => discardHome(home),
  };
}
