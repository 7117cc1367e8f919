/**
 * How long people wait for a start: `tidemark --help`, an API whose services run already, and the demo from an empty
 * home to its first brief, with the programs of the embedded services installed. The fastest of the rounds counts:
 * whatever else the machine does only adds.
 *
 *   npm run bench:start
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpus, loadavg } from 'node:os';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { engineThatMade } from '../packages/embedded/engine.ts';
import { withTemporaryFolder } from '../scripts/temporary-folder.ts';
import { environmentPlus } from '../src/config.ts';
import { report } from './goals.ts';
import { type Home, withHome } from './live/home.ts';

const ROUNDS = 5;
const DEMOS = 2;
const ASK_MS = 10;
const TIDEMARK = fileURLToPath(new URL('../scripts/tidemark.mjs', import.meta.url));
const DEMO = fileURLToPath(new URL('../scripts/demo.mjs', import.meta.url));

const help = await fastest(ROUNDS, async () =>
  secondsOf(() => spawnSync(process.execPath, [TIDEMARK, '--help'])),
);
const [api, engine] = await withHome(
  'start',
  () => undefined,
  async (home) => [await fastest(ROUNDS, () => untilReady(home)), engineThatMade(home.folder)],
);
const demo = await fastest(DEMOS, () => withTemporaryFolder('start', secondsOfDemo));
console.log(
  `${cpus()[0]?.model}, ${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)}, Node ${process.version}, ${engine} engine`,
);
report('start', [
  { what: '`tidemark --help`, s', value: help, atMost: 0.4 },
  { what: 'API ready after its services, s', value: api, atMost: 1.5 },
  { what: 'demo from an empty home to its first brief, s', value: demo, atMost: 60 },
]);

async function fastest(times: number, seconds: () => Promise<number>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < times; round += 1) least = Math.min(least, await seconds());
  return least;
}

async function secondsOf(work: () => unknown): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1_000;
}

/** A started API until it says that it is ready; then it is stopped. */
async function untilReady({ env, apiUrl }: Home): Promise<number> {
  const api = spawn(process.execPath, [TIDEMARK, 'serve'], { env, stdio: 'ignore' });
  const seconds = await secondsOf(async () => {
    while (!(await isReady(apiUrl))) await sleep(ASK_MS);
  });
  api.kill('SIGTERM');
  await once(api, 'exit');
  return seconds;
}

async function isReady(origin: string): Promise<boolean> {
  return fetch(`${origin}/health/ready`).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** Seconds from its start: its progress names each call with its status, the first brief's first. */
async function secondsOfDemo(home: string): Promise<number> {
  const started = performance.now();
  const demo = spawn(process.execPath, [DEMO, '--once'], {
    env: environmentPlus({ TIDEMARK_HOME: home, PORT: '0' }),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let firstBrief = Number.NaN;
  for await (const line of createInterface({ input: demo.stderr })) {
    const seconds = (performance.now() - started) / 1_000;
    if (Number.isNaN(firstBrief) && line.includes(': 200  http')) firstBrief = seconds;
  }
  return firstBrief;
}
