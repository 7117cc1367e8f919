import { Gauge, type Registry } from 'prom-client';
import { countDurations } from './durations.ts';

/** Counts calls where they are answered: on the path of every call, so without a look-up of labels. */
export type CallMeters = {
  /** @param route its template, never a path that a client made up */
  readonly call: (route: string, status: number, ms: number) => void;
  readonly charge: (ms: number) => void;
  /** A call begins to wait for events (1), or ends (-1). */
  readonly held: (change: 1 | -1) => void;
};

export const NO_METERS: CallMeters = {
  call: () => undefined,
  charge: () => undefined,
  held: () => undefined,
};

const SECONDS = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3];

export function openCallMeters(registry: Registry): CallMeters {
  const callObserverFor = countDurations(registry, {
    name: 'tidemark_call_seconds',
    help: 'Calls by route and status, until the answer was handed over',
    bounds: SECONDS,
  });
  const observeCharge = countDurations(registry, {
    name: 'tidemark_charge_seconds',
    help: 'The charge of a call in Redis',
    bounds: SECONDS,
  })();
  const held = new Gauge({
    ...{ name: 'tidemark_calls_held', help: 'Calls that wait for events (wait=)', registers: [registry] },
  });
  const known = new Map<string, Map<number, (seconds: number) => void>>();
  const observerOf = (route: string, status: number): ((seconds: number) => void) => {
    const ofRoute = known.get(route) ?? new Map<number, (seconds: number) => void>();
    known.set(route, ofRoute);
    const observe = callObserverFor({ route, status });
    ofRoute.set(status, observe);
    return observe;
  };
  return {
    call: (route, status, ms) => (known.get(route)?.get(status) ?? observerOf(route, status))(ms / 1_000),
    held: (change) => held.inc(change),
    charge: (ms) => observeCharge(ms / 1_000),
  };
}
