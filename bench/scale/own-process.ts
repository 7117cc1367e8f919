import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Market } from '../market/market.ts';
import type { Grown, Measured } from './report.ts';

/** What to measure of a market. */
export type Order = {
  readonly market: Market;
  /** The brief that is measured has about so many. */
  readonly holders: number;
  /** Also the same folder again, restated reports and a week. */
  readonly changesMarket: boolean;
};

/** Measures a market in a process of its own: what ran before leaves compiled code and garbage behind. */
export function measureMarket(order: Order & { readonly changesMarket: true }): Promise<Grown>;
export function measureMarket(order: Order): Promise<Measured>;
export function measureMarket(order: Order): Promise<Measured> {
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(new URL('measure.ts', import.meta.url)), {
      execArgv: ['--import', import.meta.resolve('../../src/typescript.mjs')],
      // Maps stay maps.
      serialization: 'advanced',
    });
    let measured: Measured | null = null;
    child.once('message', (answer) => {
      measured = answer as Measured;
    });
    child.once('error', reject);
    // The next market starts when this one has closed its services.
    child.once('exit', (code) => {
      if (code === 0 && measured !== null) resolve(measured);
      else reject(new Error(`a market was not measured: exit code ${code}`));
    });
    child.send(order);
  });
}
