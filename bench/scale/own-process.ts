import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Engine } from '../../packages/embedded/engine.ts';
import type { Market } from '../market/market.ts';
import type { Again } from './again.ts';
import type { Amended } from './amended.ts';
import type { Spent } from './probe.ts';
import type { Week } from './week.ts';

/** What is measured again and again. */
export type Read = 'brief' | 'page';

/** What a market in a process of its own is told to do, one after another. */
export type Order =
  | { readonly kind: 'load'; readonly market: Market; readonly holders: number }
  | { readonly kind: 'read'; readonly read: Read }
  | { readonly kind: 'change' };

/** A market that was ingested whole, and the brief that is read there. */
export type Ingested = {
  readonly engine: Engine | undefined;
  readonly rows: number;
  readonly ingest: Spent;
  readonly holders: number;
  /** Forms 4 of the issuer in the window: they are what the insiders' leg is computed from. */
  readonly forms: number;
};

/** What is measured last, because it changes the market. */
export type Changed = { readonly amended: Amended; readonly again: Again; readonly week: Week };

export type OwnMarket = {
  readonly ingested: Ingested;
  /** What one of many such reads costs on average. */
  readonly spentOn: (read: Read) => Promise<Spent>;
  readonly change: () => Promise<Changed>;
  /** Returns when its services are closed. */
  readonly close: () => Promise<void>;
};

/**
 * Ingests a market in a process of its own, because what runs before leaves compiled code and garbage behind. Its brief
 * is the one whose number of holders is nearest. Without this process it ends after what it is at.
 */
export async function openMarket(market: Market, holders: number): Promise<OwnMarket> {
  const child = fork(fileURLToPath(new URL('measure.ts', import.meta.url)), {
    execArgv: ['--import', import.meta.resolve('../../src/typescript.mjs')],
    // Maps stay maps.
    serialization: 'advanced',
  });
  const exited = once(child, 'exit');
  const failed = exited.then(([code]) => Promise.reject(new Error(`a market ended: exit code ${code}`)));
  failed.catch(() => undefined);
  const told = async (order: Order): Promise<unknown> => {
    const answered = once(child, 'message');
    child.send(order);
    const [answer] = (await Promise.race([answered, failed])) as unknown[];
    return answer;
  };
  return {
    ingested: (await told({ kind: 'load', market, holders })) as Ingested,
    spentOn: async (read) => (await told({ kind: 'read', read })) as Spent,
    change: async () => (await told({ kind: 'change' })) as Changed,
    close: async () => {
      child.disconnect();
      const [code] = await exited;
      if (code !== 0) throw new Error(`a market closed with exit code ${code}`);
    },
  };
}
