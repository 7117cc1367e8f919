import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Market } from '../market/market.ts';
import type { Grown, Measured } from './report.ts';

/** What to measure of a market: also `again`, a restated report and a week, which change it. */
export type Order = {
  readonly market: Market;
  /** The brief that is measured has about so many. */
  readonly holders: number;
  readonly isGrown: boolean;
};

/** Measures a market in a process of its own: what ran before leaves compiled code and garbage behind. */
export function measureMarket(order: Order & { readonly isGrown: true }): Promise<Grown>;
export function measureMarket(order: Order): Promise<Measured>;
export function measureMarket(order: Order): Promise<Measured> {
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(new URL('measure.ts', import.meta.url)), {
      execArgv: ['--import', import.meta.resolve('../../src/typescript.mjs')],
      // Maps stay maps.
      serialization: 'advanced',
    });
    child.once('message', (measured) => resolve(measured as Measured));
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`a market was not measured: exit code ${code}`)));
    child.send(order);
  });
}
