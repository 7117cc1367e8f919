import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createKey } from '../../../src/credits/account/key-life.ts';
import { freePort } from '../../../src/embedded/port.ts';
import { waitUntil } from '../../../src/embedded/wait.ts';
import { ensureIndexes } from '../../../src/store/mongo/indexes.ts';
import { seedBrief, seed as seedCorpus } from '../../api/corpus.ts';
import { openWorld } from '../../world.ts';
import { call, type Receipt } from '../harness/caller.ts';
import { openChildren } from '../harness/child.ts';

export const BRIEF = '/v1/stocks/AAPL/capital-change-brief';

const FLOODER = fileURLToPath(new URL('flooder.ts', import.meta.url));
const UP_MS = 60_000;

/** An API in a process of its own, so that a load does not slow what measures it. */
export type Served = Awaited<ReturnType<typeof openServed>>;

/** @param settings of the API in addition to those of a world */
export async function openServed(settings: Readonly<Record<string, string>> = {}) {
  const world = await openWorld(settings);
  await ensureIndexes(world.mongo.db);
  await seedCorpus(world.mongo.db);
  await seedBrief(world.mongo.db, 'AAPL', 'x'.repeat(2_000));
  const port = await freePort();
  const children = openChildren();
  const child = children.start(['serve'], { ...world.env, PORT: String(port) });
  const origin = `http://127.0.0.1:${port}`;
  const isUp = () =>
    fetch(`${origin}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  if (!(await waitUntil(isUp, UP_MS, child.hasEnded))) throw new Error(`the API is not up:\n${child.said()}`);
  let organizations = 0;
  return {
    world,
    origin,
    /** Of an organisation of its own. */
    newKey: () => {
      organizations += 1;
      const orgName = `Organisation ${organizations}`;
      return createKey(world.store, { orgName, credits: 100_000_000, label: 'test' });
    },
    /** Memory of the process and what it started, in MB. */
    memoryMb: () => memoryMb(child.pid),
    /** A bare connection. Errors are what the server does to it. */
    dial: async (): Promise<Socket> => {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => undefined);
      await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
      return socket;
    },
    close: async () => {
      child.signal('SIGTERM');
      await child.ended();
      children.killAll();
      await world.close();
    },
  };
}

/** Resident memory; 0 where there is no /proc. */
function memoryMb(pid: number): number {
  try {
    const kilobytes = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    const below = children === '' ? [] : children.split(' ').map(Number);
    return kilobytes / 1_024 + below.map(memoryMb).reduce((sum, one) => sum + one, 0);
  } catch {
    return 0;
  }
}

type Flood = { readonly url: string; readonly key: string; readonly connections: number };

/** Calls as fast as it can, or at `perSecond`, from a process of its own until it is stopped. */
export function flood({ url, key, connections }: Flood, perSecond = 0) {
  const args = ['--import', 'tsx', FLOODER, url, key, String(connections), String(perSecond)];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  return {
    /** Ends it; its answers by status. */
    stop: async (): Promise<Record<string, number>> => {
      child.stdin.end();
      await once(child, 'close');
      return JSON.parse(said) as Record<string, number>;
    },
  };
}

const PAUSE_MS = 10;

/** Customers who call one after another, each with a key of its own, until `isOver`. */
export async function customers(url: string, keys: readonly string[], isOver: () => boolean) {
  const receipts: Receipt[] = [];
  const customer = async (key: string): Promise<void> => {
    while (!isOver()) {
      receipts.push(await call({ url, key }));
      await sleep(PAUSE_MS);
    }
  };
  await Promise.all(keys.map(customer));
  return receipts;
}

/** A function that says true from now on in so many milliseconds. */
export function after(ms: number): () => boolean {
  const end = performance.now() + ms;
  return () => performance.now() >= end;
}
