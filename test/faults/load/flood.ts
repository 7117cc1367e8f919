import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { call, type Receipt } from '../harness/caller.ts';

const FLOODER = fileURLToPath(new URL('flooder.ts', import.meta.url));
/** Each asks less than twenty times a second. */
const PAUSE_MS = 50;

type Flood = { readonly url: string; readonly key: string; readonly connections: number };

/** What a flood was answered. */
export type Flooded = {
  /** How many answers had each status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Refusals that do not say when to come back. */
  readonly withoutRetryAfter: number;
};

/** Calls as fast as it can, or at `perSecond`, from a process of its own until it is stopped. */
export function flood({ url, key, connections }: Flood, perSecond = 0) {
  const args = [
    '--import',
    new URL('../../../src/typescript.mjs', import.meta.url).href,
    FLOODER,
    url,
    key,
    String(connections),
    String(perSecond),
  ];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  return {
    stop: async (): Promise<Flooded> => {
      child.stdin.end();
      await once(child, 'close');
      return JSON.parse(said) as Flooded;
    },
  };
}

/** The answers of some floods in one. */
export function together(floods: readonly Flooded[]): Flooded {
  const statuses: Record<string, number> = {};
  for (const [status, count] of floods.flatMap((one) => Object.entries(one.statuses))) {
    statuses[status] = (statuses[status] ?? 0) + count;
  }
  const withoutRetryAfter = floods.reduce((sum, one) => sum + one.withoutRetryAfter, 0);
  return { statuses, withoutRetryAfter };
}

/** Customers who call one after another for so long, each with a key of its own. */
export async function customers(url: string, keys: readonly string[], forMs: number): Promise<Receipt[]> {
  const end = performance.now() + forMs;
  const receipts: Receipt[] = [];
  const customer = async (key: string): Promise<void> => {
    while (performance.now() < end) {
      receipts.push(await call({ url, key }));
      await sleep(PAUSE_MS);
    }
  };
  await Promise.all(keys.map(customer));
  return receipts;
}
