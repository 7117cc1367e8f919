import type { Metric, MetricValue, Registry } from 'prom-client';

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
