import { Gauge, type Metric, type MetricValue, type Registry } from 'prom-client';

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

type Labels = Readonly<Record<string, string | number>>;

/** Durations with the same labels: how many were at most each bound, and above the one before. */
type Counted = { readonly labels: Labels; readonly within: number[]; count: number; sum: number };

type Described = {
  readonly name: string;
  readonly help: string;
  /** Upper bounds in seconds, ascending. */
  readonly bounds: readonly number[];
};

/**
 * A histogram that is on the path of every call: it counts in plain numbers, and it becomes Prometheus text only
 * at a scrape. The one of prom-client checks and joins the labels of each observation.
 * @returns for a set of labels, which is asked for once, what counts a duration in seconds
 */
export function countDurations(registry: Registry, { name, help, bounds }: Described) {
  const counted: Counted[] = [];
  const get = async () => {
    const values = counted.flatMap((one) => valuesOf(name, bounds, one));
    return { name, help, type: 'histogram', aggregator: 'sum', values };
  };
  const reset = () => {
    for (const one of counted) {
      one.within.fill(0);
      one.count = 0;
      one.sum = 0;
    }
  };
  // The registry asks a metric for nothing else.
  registry.registerMetric({ name, get, reset } as unknown as Metric);
  return (labels: Labels = {}): ((seconds: number) => void) => {
    const own: Counted = { labels, within: bounds.map(() => 0), count: 0, sum: 0 };
    counted.push(own);
    return (seconds) => {
      own.count += 1;
      own.sum += seconds;
      let at = 0;
      while (at < bounds.length && seconds > (bounds[at] ?? 0)) at += 1;
      if (at < bounds.length) own.within[at] = (own.within[at] ?? 0) + 1;
    };
  };
}

/** The text format of Prometheus counts in each bucket all that is below it. */
function valuesOf(
  name: string,
  bounds: readonly number[],
  { labels, within, count, sum }: Counted,
): (MetricValue<string> & { readonly metricName: string })[] {
  let below = 0;
  const buckets = bounds.map((bound, at) => {
    below += within[at] ?? 0;
    return { metricName: `${name}_bucket`, labels: { le: bound, ...labels }, value: below };
  });
  return [
    ...buckets,
    { metricName: `${name}_bucket`, labels: { le: '+Inf', ...labels }, value: count },
    { metricName: `${name}_sum`, labels: { ...labels }, value: sum },
    { metricName: `${name}_count`, labels: { ...labels }, value: count },
  ];
}
