import type { SecurityEvent } from './consensus.ts';
import type { Cusip } from './ids.ts';
import type { Exchange, SplitFactors } from './price-return.ts';

/** What the filers confirmed of a quarter's splits and new CUSIPs, as a holder of the quarter before meets it. */
export function exchangesOf(events: readonly SecurityEvent[]): SplitFactors {
  const exchanges = new Map<Cusip, Exchange>();
  for (const event of events) {
    if (event.kind === 'split') exchanges.set(event.cusip, event.factor);
    if (event.kind === 'cusip_change') exchanges.set(event.from, { ...event.factor, cusip: event.cusip });
  }
  return exchanges;
}
