#!/usr/bin/env node
import '../scripts/require-node.mjs';
import { installWhenMissing } from '../scripts/install.mjs';

installWhenMissing({ development: true });
try {
  await import('../src/typescript.mjs');
  const { clients } = await import('../scripts/clients/run.ts');
  // Connections of the calls are kept alive for some seconds and would delay the exit.
  process.exit(await clients(process.argv.slice(2)));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
