#!/usr/bin/env node
import '../scripts/require-node.mjs';
import { installWhenMissing } from '../scripts/install.mjs';

installWhenMissing({ development: true });
try {
  await import('../src/typescript.mjs');
  const { contract } = await import('../scripts/contract/run.ts');
  // Not by itself: connections of the calls are kept alive for some seconds.
  process.exit(await contract(process.argv.slice(2)));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
