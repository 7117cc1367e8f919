#!/usr/bin/env node
import './require-node.mjs';
import { installWhenMissing } from './install.mjs';

installWhenMissing({ development: true });
try {
  await import('../src/typescript.mjs');
  const { faults } = await import('./faults/run.ts');
  process.exit(await faults(process.argv.slice(2)));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
