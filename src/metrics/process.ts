import { hostname } from 'node:os';
import { Counter, collectDefaultMetrics, Registry } from 'prom-client';

/** The registry of one process, with what Node says of it. */
export function openRegistry(role: string): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ role, host: hostname() });
  collectDefaultMetrics({ register: registry });
  return registry;
}

/** What the registry holds now, as the operators' port reads it. */
export async function metricsOf(registry: Registry): Promise<string> {
  return JSON.stringify(await registry.getMetricsAsJSON());
}

/** Counts requests to EDGAR: the SEC allows ten a second, of all processes together. */
export function countRequests(registry: Registry): () => void {
  const counter = new Counter({
    ...{ name: 'tidemark_edgar_requests_total', help: 'Requests sent to EDGAR', registers: [registry] },
  });
  return () => counter.inc();
}
