import { startWorkers } from '../../jobs/worker/run.ts';
import { startScheduler } from '../../jobs/worker/scheduler.ts';
import { freePort } from '../../packages/embedded/port.ts';
import type { QueueGroup } from '../../queues/queue.ts';
import { openContext } from '../../src/context.ts';
import { startApi } from '../../src/serve.ts';
import { openChildren } from '../faults/harness/child.ts';
import { type Flow, openStages } from '../flow/flow.ts';

/** Two APIs, three workers by group and two schedulers over the services of a flow. */
export type Deployment = {
  /** Of the APIs. */
  readonly origins: readonly string[];
  readonly close: () => Promise<void>;
};

const WORKERS: readonly (readonly QueueGroup[])[] = [['live'], ['briefs', 'heavy'], ['leaderboard', 'bulk']];
const SCHEDULERS = 2;
const APIS = 2;

/** All in this process, each with connections of its own. */
export async function deployHere(flow: Flow): Promise<Deployment> {
  const closing: (() => Promise<void>)[] = [];
  for (const groups of WORKERS) {
    const pipeline = await openStages(flow);
    const workers = startWorkers(pipeline.context, pipeline.redis, groups);
    closing.push(pipeline.close, workers.close);
  }
  for (let n = 0; n < SCHEDULERS; n += 1) {
    const { context, close } = await openStages(flow);
    const scheduler = await startScheduler(context.producer, context);
    closing.push(close, scheduler.close);
  }
  const origins: string[] = [];
  for (let n = 0; n < APIS; n += 1) {
    const context = await openContext(flow.config, flow.urls, 'api');
    const api = await startApi(context);
    closing.push(context.close, api.close);
    origins.push(`http://127.0.0.1:${api.port}`);
  }
  const close = async (): Promise<void> => {
    for (const one of closing.toReversed()) await one();
  };
  return { origins, close };
}

/** Each a process, as an operator starts them. */
export async function deployProcesses({ world }: Flow): Promise<Deployment> {
  const children = openChildren();
  const ports = await Promise.all(Array.from({ length: APIS }, freePort));
  const apis = ports.map((port) => children.start(['serve'], { ...world.env, PORT: String(port) }));
  const workers = WORKERS.map((groups) => children.start(['work', '--queues', groups.join(',')], world.env));
  const schedulers = Array.from({ length: SCHEDULERS }, () => children.start(['schedule'], world.env));
  const all = [...apis, ...workers, ...schedulers];
  const close = async (): Promise<void> => {
    for (const child of all) child.signal('SIGTERM');
    await Promise.all(all.map((child) => child.ended()));
    children.killAll();
  };
  await Promise.all(all.map((child) => child.until(apis.includes(child) ? 'listens on' : 'is running')));
  return { origins: ports.map((port) => `http://127.0.0.1:${port}`), close };
}
