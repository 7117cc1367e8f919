#!/usr/bin/env node
import './require-node.mjs';
import { installWhenMissing } from './install.mjs';

/** `npm run NAME`: a program that checks the product, with the packages of development. */
const PROGRAMS = {
  client: async () => (await import('./contract/client.ts')).client,
  clients: async () => (await import('./clients/run.ts')).clients,
  conformance: async () => (await import('./conformance/run.ts')).conformance,
  contract: async () => (await import('./contract/run.ts')).contract,
  drill: async () => (await import('./faults/drill.ts')).drill,
  faults: async () => (await import('./faults/run.ts')).faults,
  'second-opinion': async () => (await import('./second-opinion/run.ts')).secondOpinion,
};

installWhenMissing({ development: true });
try {
  await import('../src/typescript.mjs');
  const [name, ...argv] = process.argv.slice(2);
  if (!Object.hasOwn(PROGRAMS, name ?? '')) throw new Error(`Programs: ${Object.keys(PROGRAMS).join(', ')}`);
  const program = await PROGRAMS[name]();
  // Not by itself: connections of the calls are kept alive for some seconds.
  process.exit(await program(argv));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
