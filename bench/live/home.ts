import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openServices } from '../../packages/embedded/open.ts';
import { freePort } from '../../packages/embedded/port.ts';
import { serveLocalEdgar } from '../../packages/local-edgar/serve.ts';
import { openProcesses } from '../../scripts/demo/processes.ts';
import { withTemporaryFolder } from '../../scripts/temporary-folder.ts';
import { type Config, environmentWith, loadConfig } from '../../src/config.ts';
import { pipelineProgress } from '../../src/derive/corpus/progress.ts';
import { openMongo } from '../../src/mongo.ts';
import { AS_OF } from '../scale/loaded.ts';

/** A look counts what is pending, which costs the database most of a tenth of a second in a full market. */
const POLL_MS = 2_000;
/** Longer than the dispatcher sleeps, so that nothing is about to begin. */
const QUIET_MS = 8_000;

export type Home = Awaited<ReturnType<typeof openHome>>;

/** A home with its services and a local EDGAR over the folder that `fill` writes; its processes are started by name. */
export function withHome<T>(name: string, fill: (dir: string) => void, work: (home: Home) => Promise<T>) {
  return withTemporaryFolder(name, async (folder) => {
    const home = await openHome(folder, fill);
    try {
      return await work(home);
    } finally {
      await home.close();
    }
  });
}

async function openHome(folder: string, fill: (dir: string) => void) {
  const dir = join(folder, 'filings');
  mkdirSync(dir);
  fill(dir);
  const edgar = await serveLocalEdgar({ dir, asOf: AS_OF, isWhole: true });
  const apiPort = await freePort();
  const config: Config = { ...loadConfig(), home: folder, docker: 'never', asOf: AS_OF, edgarUrl: edgar.url };
  const services = await openServices(config, () => undefined);
  const env = {
    ...environmentWith(services),
    TIDEMARK_HOME: folder,
    TIDEMARK_AS_OF: AS_OF,
    EDGAR_URL: edgar.url,
    EDGAR_REQUESTS_PER_SECOND: '1000',
    PORT: String(apiPort),
    LOG_LEVEL: 'warn',
  };
  const processes = openProcesses(folder);
  const startAs = (name: string, ...args: string[]) => processes.start(name, args, env);
  const mongo = await openMongo(services.mongoUrl, config.mongoDb);
  return {
    folder,
    dir,
    edgar,
    config,
    services,
    env,
    /** Starts `tidemark <name>`. */
    start: (name: string, ...args: string[]) => startAs(name, name, ...args),
    /** The same under a name of its own, for several of one command. */
    startAs,
    listens: processes.listens,
    db: mongo.db,
    apiUrl: `http://127.0.0.1:${apiPort}`,
    /** Returns when nothing has been pending for some seconds. */
    untilDone: async (): Promise<void> => {
      for (let quiet = 0; quiet < QUIET_MS; ) {
        await Promise.race([sleep(POLL_MS), processes.watch]);
        quiet = (await pipelineProgress(mongo.db)).done ? quiet + POLL_MS : 0;
      }
    },
    /** Ends all its processes for good; its services and its EDGAR go on. */
    stop: processes.stop,
    close: async (): Promise<void> => {
      await processes.stop();
      await mongo.client.close();
      await services.release();
      await edgar.close();
    },
  };
}
