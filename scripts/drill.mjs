#!/usr/bin/env node
import './require-node.mjs';
import { installWhenMissing } from './install.mjs';

installWhenMissing({ development: true });
try {
  await import('../src/typescript.mjs');
  const { drill } = await import('./faults/drill.ts');
  process.exit(await drill(process.argv.slice(2)));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
