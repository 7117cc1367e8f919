import { Histogram, Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { countDurations } from './calls.ts';

const BOUNDS = [0.01, 0.1, 1];
const SEEN = [0.002, 0.01, 0.0100001, 0.1, 0.5, 1, 1.5, 60];
const NAMED = { name: 'seconds', help: 'Some durations' };

/** Without exemplars, which neither has. */
async function jsonOf(registry: Registry): Promise<unknown> {
  return JSON.parse(JSON.stringify(await registry.getMetricsAsJSON()).replaceAll('"exemplar":null,', ''));
}

test('what Prometheus reads is what a histogram of prom-client with the same durations says', async () => {
  const [own, theirs] = [new Registry(), new Registry()];
  const of = countDurations(own, { ...NAMED, bounds: BOUNDS });
  const histogram = new Histogram({
    ...NAMED,
    labelNames: ['route', 'status'],
    buckets: BOUNDS,
    registers: [theirs],
  });
  for (const labels of [
    { route: '/a', status: 200 },
    { route: '/b', status: 404 },
  ]) {
    const observe = of(labels);
    for (const seconds of SEEN) {
      observe(seconds);
      histogram.observe(labels, seconds);
    }
  }
  expect(await own.metrics()).toBe(await theirs.metrics());
  for (const registry of [own, theirs]) registry.setDefaultLabels({ role: 'api' });
  expect(await jsonOf(own)).toEqual(await jsonOf(theirs));
});

test('metrics that are reset begin again', async () => {
  const registry = new Registry();
  const observe = countDurations(registry, { ...NAMED, bounds: BOUNDS })();
  observe(0.05);
  registry.resetMetrics();
  observe(0.5);
  const text = await registry.metrics();
  for (const line of ['{le="0.1"} 0', '{le="1"} 1', '{le="+Inf"} 1'])
    expect(text).toContain(`seconds_bucket${line}`);
  expect(text).toContain('seconds_sum 0.5');
});
