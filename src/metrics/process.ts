import { hostname } from 'node:os';
import { collectDefaultMetrics, Registry } from 'prom-client';

/** The registry of one process, with what Node says of it. */
export function openRegistry(role: string): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ role, host: hostname() });
  collectDefaultMetrics({ register: registry });
  return registry;
}
