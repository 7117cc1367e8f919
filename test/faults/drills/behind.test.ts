import { afterAll, expect } from 'vitest';
import { waitUntil } from '../../../packages/embedded/wait.ts';
import { opened } from '../../opened.ts';
import { openWorld } from '../../world.ts';
import { openChildren } from '../harness/child.ts';
import { longScenario } from '../harness/scenario.ts';
import { operator, step } from './operator.ts';

const WAIT_MS = 180_000;
const WORKER = ['work', '--queues', 'live'];
/** EDGAR is not asked here. */
const ALONE = { EDGAR_URL: 'http://127.0.0.1:1' };
const SILENT = 'PROBLEM no worker live is running';

const world = opened(openWorld);
const children = openChildren();
afterAll(async () => {
  children.killAll();
});

longScenario('T27', 'drill: a feed that is behind', async () => {
  const env = { ...world.env, ...ALONE };
  const first = children.start(WORKER, env);
  await first.until('is running');
  expect((await operator(world, 'status')).stdout).not.toContain(SILENT);
  step(
    'The only worker of the group live hangs: the feed is not read, and its heartbeat is silent after 50 s',
  );
  first.signal('SIGSTOP');
  const statusSays = async (isSilent: boolean): Promise<boolean> =>
    waitUntil(async () => (await operator(world, 'status')).stdout.includes(SILENT) === isSilent, WAIT_MS);
  expect(await statusSays(true)).toBe(true);
  step(
    'Start another one, and end the one that hangs: nothing is lost, the daily index names what was missed',
  );
  const second = children.start(WORKER, env);
  await second.until('is running');
  first.signal('SIGKILL');
  expect(await statusSays(false)).toBe(true);
});
