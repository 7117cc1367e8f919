#!/usr/bin/env node
import '../scripts/require-node.mjs';
import { installWhenMissing } from '../scripts/install.mjs';

installWhenMissing({ development: true });
try {
  await import('../src/typescript.mjs');
  const { conformance } = await import('../scripts/conformance/run.ts');
  // Connections of the calls are kept alive for some seconds and would delay the exit.
  process.exit(await conformance());
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
